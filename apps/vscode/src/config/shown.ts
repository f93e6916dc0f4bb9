// An entry as the person reads it who allows it: all that it would run and send, as the file has it. Placeholders are not
// filled in, and nothing is left out or invisible.

import type { Configured } from './files'

/** What an entry may say about a server; the editor's fields, and no other, reach the gateway. */
const SAID = new Set(['type', 'command', 'args', 'cwd', 'env', 'envFile', 'url', 'headers'])

/** Where it runs or what it calls, in one line: for a row. */
export function firstLine({ entry }: Configured): string {
  const { url, command, args } = fieldsOf(entry)
  return url === undefined ? line([command, ...listOf(args)]) : visible(String(url))
}

/** Servers whole; where there are several, the file of each is said once. */
export function wholeEntries(servers: readonly Configured[]): string {
  const [first] = servers
  if (first && servers.length === 1) return `${visible(first.name)}, of ${visible(first.file)}\n${bodyOf(first)}`
  const files = [...new Set(servers.map(({ file }) => file))]
  const of = (file: string) => servers.filter((server) => server.file === file)
  const texts = files.map((file) => [
    `Of ${visible(file)}:`,
    ...of(file).map((server) => `${visible(server.name)}\n${bodyOf(server)}`),
  ])
  return texts.flat().join('\n\n')
}

/** All of an entry, a line for each thing. */
function bodyOf(server: Configured): string {
  const { entry, workspace } = server
  const { cwd, env, envFile, url, headers } = fieldsOf(entry)
  const isProgram = url === undefined
  const rest = Object.entries(fieldsOf(entry)).filter(([key]) => !SAID.has(key))
  const pairs = (what: string, value: unknown) =>
    Object.entries(fieldsOf(value)).map(([key, text]) => `  ${what} ${visible(key)} = ${visible(textOf(text))}`)
  return [
    `  ${isProgram ? 'runs' : 'calls'} ${firstLine(server)}`,
    ...(isProgram ? [`  in ${visible(cwd === undefined ? workspace : textOf(cwd))}`] : []),
    ...pairs('variable', env),
    ...(envFile === undefined ? [] : [`  variables of the file ${visible(textOf(envFile))}`]),
    ...pairs('header', headers),
    ...rest.map(([key, value]) => `  ${visible(key)}: ${visible(textOf(value))}`),
  ].join('\n')
}

/** Each part as one word, so that no space hides where one ends. */
const line = (parts: unknown[]) =>
  parts
    .map((part) => visible(String(part)))
    .map((part) => (/^[\w@%+=:,./~${}\\-]+$/.test(part) ? part : JSON.stringify(part).replaceAll('\\\\', '\\')))
    .join(' ')

/** What a person would not see, such as a line break or a character that turns the text around, by its number. */
export const visible = (text: string): string =>
  text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value])

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
