import * as fs from 'fs'

import type { McpServer } from '@roo-code/types'

/** Real servers with their tools, as a hub has them. */
export const captured = JSON.parse(fs.readFileSync(process.env.STORY_SERVERS ?? '', 'utf8')) as {
  name: string
  tools: McpServer['tools']
}[]

/** The tools of a server that a text names. */
export const toldOf = (text: string, server: string) =>
  [...known([text])].filter((name) => name.startsWith(`mcp--${server}--`))
/** A definition, or a signature on a line of its own. */
const NAME = /(?<="name":"|^)(mcp--[\w-]+)(?="|: \{)/gm
/** A server in the directory, as its interface is named; the first line of one of its tools. */
const SERVER = /^interface (\w+)/
const LINE = /^'?([\w-]+)'?: /
/** The tools that a directory names. */
function* listed(text: string): Generator<string> {
  let server: string | undefined
  for (const line of text.split('\n')) {
    const [, name] = SERVER.exec(line) ?? []
    if (name) server = captured.find((each) => each.name.replace(/\W/g, '_') === name)?.name
    else if (line.startsWith('}')) server = undefined
    const [, tool] = LINE.exec(line) ?? []
    if (server && tool) yield `mcp--${server}--${tool}`
  }
}
/** What the model knows by then: what was said, and was not taken back. */
export function known(texts: string[]): Set<string> {
  const names = new Set<string>()
  for (const text of texts) {
    for (const line of text.split('\n')) {
      if (line.startsWith('No longer available')) {
        for (const name of line.match(/mcp--[\w-]+/g) ?? []) names.delete(name)
      }
    }
    // What mcp_load found besides, behind these words, is not loaded.
    const [loaded] = text.split('\nAlso found')
    for (const [, name] of loaded.matchAll(NAME)) names.add(name)
    for (const name of listed(loaded)) names.add(name)
  }
  return names
}
