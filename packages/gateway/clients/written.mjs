// An entry of some client as `import` writes it: in our spelling, and with the same meaning in another place.

import path from 'node:path'

import { readUrl } from '../config/values.mjs'
import { inputVariable, ONLY_A_NAME, PLACEHOLDER } from '../config/variables.mjs'

/** Fields of the gateway that an entry may have already. */
const OURS = [
  ...['lazy', 'essential', 'description', 'alwaysLoad', 'ownPins', 'capabilities', 'syntheticQueries', 'protocolEra'],
  ...['toolDescriptionOverrides', 'searchDescriptions', 'toolKinds'],
]

/**
 * @typedef {object} Place
 * @property {Map<string, object>} inputs VS Code's
 * @property {string} folder what relative paths are in
 * @property {string} workspace
 * @property {boolean} ofProject
 */

/**
 * @param {Record<string, any>} entry
 * @param {import('../config/spelling.mjs').Spelt} spelt
 * @param {Place} where
 * @returns {Record<string, any>}
 */
export function write(entry, spelt, where) {
  const { kind, command, args, env, url, headers, headersHelper, oauth, inheritEnv, bareNames } = spelt
  const move = (value) => (typeof value === 'string' ? moved(value, bareNames, where) : value)
  // A variable's name and nothing else, as everybody understands it.
  const braced = (value) => (ONLY_A_NAME.test(value) ? value.replace(/\$(\w+)$/, '$${$1}') : value)
  const moveValue = (value) => (typeof value === 'string' ? move(braced(value)) : value)
  const moveAll = (texts) =>
    Object.fromEntries(
      Object.entries(texts)
        .filter(([, value]) => value !== null)
        .map(([key, value]) => [key, moveValue(value)]),
    )
  const place = (value) => {
    const text = move(value)
    return /^[~$]/.test(text) ? text : path.resolve(where.folder, text)
  }
  const what = kind === 'stdio' ? command : url
  if (typeof what !== 'string' || what.trim() === '')
    throw new Error(kind === 'stdio' ? 'it has no command' : 'it has no url')
  if (kind !== 'stdio' && !what.includes('$') && !what.includes('{')) readUrl(what, 'url')
  const cwd = spelt.cwd ?? (where.ofProject ? where.folder : undefined)
  const all =
    kind === 'stdio'
      ? { command: move(command), args: args.map(move), env: moveAll(env), cwd: cwd && place(cwd) }
      : {
          type: kind === 'sse' ? 'sse' : 'streamable-http',
          url: move(url),
          headers: moveAll(headers),
          headersHelper: headersHelper && move(headersHelper),
          env: namesAny(env, [url, ...Object.values(headers)]) ? moveAll(env) : undefined,
        }
  const more = {
    envFile: spelt.envFile && place(spelt.envFile),
    inheritEnv: kind === 'stdio' ? inheritEnv : undefined,
    timeout: spelt.timeout,
    startTimeout: spelt.startTimeout,
    onlyAllow: spelt.onlyAllow,
    disabledTools: spelt.disabledTools,
    ...Object.fromEntries(OURS.map((key) => [key, entry[key]])),
    oauth,
  }
  return Object.fromEntries(Object.entries({ ...all, ...more }).filter(([, value]) => !isEmpty(value)))
}

/** A text whose placeholders mean here what they mean in its client's file. */
function moved(value, bareNames, { inputs, folder, workspace, ofProject }) {
  return value.replaceAll(PLACEHOLDER, (whole, ofContinue, name, kind, own, bareName) => {
    if (ofContinue !== undefined) return whole.replace(/^\$\{\{\s*(?:secrets|inputs)\.(.+?)\s*\}\}$/s, '${env:$1}')
    if (kind !== undefined) return kind === 'env' ? `\${env:${own}}` : fileAt(own, folder)
    // Within a text a name that is not set stays as it is.
    if (bareName !== undefined && bareNames) return `\${${bareName}:-$${bareName}}`
    if (name === undefined) return whole
    if (name.startsWith('file:')) return fileAt(name.slice('file:'.length), folder)
    if (name.startsWith('input:')) return inputNamed(name.slice('input:'.length), inputs)
    // Elsewhere the same word would mean another folder.
    if (!ofProject) return whole
    if (/^(workspaceFolder|workspaceRoot|CLAUDE_PROJECT_DIR(:-.*)?)$/s.test(name)) return workspace
    if (name === `workspaceFolder:${path.basename(workspace)}`) return workspace
    return name === 'workspaceFolderBasename' ? path.basename(workspace) : whole
  })
}

function fileAt(file, folder) {
  return `\${file:${/^[~$]/.test(file.trim()) ? file.trim() : path.resolve(folder, file.trim())}}`
}

function inputNamed(id, inputs) {
  const otherwise = inputs.get(id)?.default
  return `\${${inputVariable(id)}${typeof otherwise === 'string' ? `:-${otherwise}` : ''}}`
}

/** Whether a text names a variable of the entry's own. */
function namesAny(env, texts) {
  return texts.some((text) => typeof text === 'string' && Object.keys(env).some((name) => text.includes(name)))
}

function isEmpty(value) {
  if (value === undefined || value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}
