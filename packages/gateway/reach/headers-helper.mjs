// A program of the user's that says with which headers a server is reached, as Claude Code has it: for keys that expire. It
// runs before each connection.

import { execFile } from 'node:child_process'
import process from 'node:process'

import { headersOf } from '../config/server.mjs'

/** How long it may take, as in Claude Code. */
const HELPER_MS = 10_000
/** Bytes of its answer: keys, not data. */
const MAX_ANSWER = 64 * 1024

/**
 * A definition with the headers that its helper gives. They replace headers of the same names.
 *
 * @template {import('../downstream/downstream.mjs').ServerDefinition} D
 * @param {D} definition
 * @returns {Promise<D>}
 * @throws {Error} when the helper fails; what it printed is not told, since it is about keys
 */
export async function withHelp(definition) {
  const { headersHelper, headers } = definition
  if (headersHelper === undefined) return definition
  const given = parse(await helpOf(definition))
  const isGiven = new Set([...given.keys()].map((key) => key.toLowerCase()))
  const kept = [...(headers ?? [])].filter(([key]) => !isGiven.has(key.toLowerCase()))
  return { ...definition, headers: new Map([...kept, ...given]) }
}

/** What the helper prints now. @param {import('../downstream/downstream.mjs').ServerDefinition} definition */
export function helpOf({ headersHelper = '', name, url }) {
  return answerOf(headersHelper, { serverName: name, url: url?.href })
}

/** A command line of the user's own file, so a shell reads it: it may hold arguments, pipes and `~`. */
/** @returns {Promise<string>} */
function answerOf(command, { serverName, url }) {
  const [shell, ...args] = process.platform === 'win32' ? ['cmd.exe', '/d', '/s', '/c'] : ['/bin/sh', '-c']
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, CLAUDE_CODE_MCP_SERVER_NAME: serverName, CLAUDE_CODE_MCP_SERVER_URL: url }
  delete env.ZOO_TOOL_ROUTER_TOKEN
  const options = { env, timeout: HELPER_MS, maxBuffer: MAX_ANSWER, windowsHide: true }
  return new Promise((resolve, reject) => {
    execFile(shell, [...args, command], options, (error, stdout) => {
      if (!error) return resolve(stdout)
      const how = error.killed ? `did not answer within ${HELPER_MS / 1000} s` : `ended with code ${error.code}`
      return reject(new Error(`its headersHelper ${how}`))
    })
  })
}

function parse(text) {
  try {
    const given = Object.entries(JSON.parse(text))
    if (given.every(([, value]) => typeof value === 'string')) return headersOf(new Map(given), 'its headersHelper')
  } catch (error) {
    if (error.code === 'ERR_INVALID_ARGUMENT') throw error
    // Told below, without the text.
  }
  throw new Error('its headersHelper did not print a JSON object of texts')
}
