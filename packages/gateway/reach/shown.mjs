// Entries and paths as a report shows them: enough to know them by, and nothing that may be a key.

import path from 'node:path'

import { plain } from '../base/errors.mjs'
import { programOf } from './failure.mjs'
import { Secrets } from '../base/secrets.mjs'

/** Parts of an address that are words or versions. Anything else may be a key. */
const SPOKEN = /^(v?\d{1,4}|[@.]?[A-Za-z]{1,24}([._-][A-Za-z]{1,24})*|\$\{.*\})?$/

/**
 * What is started or reached.
 *
 * @param {{ command?: string, args?: string[], env?: Record<string, unknown>, url?: string, headers?: Record<string, unknown> }} entry
 */
export function shownEntry({ command, args = [], env = {}, url, headers = {} }) {
  if (url !== undefined) return plain(shownUrl(url), 80)
  const secrets = new Secrets({
    command,
    args,
    env: new Map(Object.entries(env).map(([key, value]) => [key, String(value)])),
    headers: new Map(Object.entries(headers).map(([key, value]) => [key, String(value)])),
  })
  const [program] = programOf(command)
  const words = [program, ...args.map((arg) => (/^https?:/.test(arg) ? shownUrl(arg) : arg))]
  return plain(secrets.hide(words.join(' ')), 80)
}

function shownUrl(url) {
  const [, start = '', rest = ''] = /^([a-z]+:\/\/(?:[^/@]*@)?[^/]*)?(.*)$/is.exec(url.split(/[?#]/)[0]) ?? []
  const parts = rest.split('/').map((part) => (SPOKEN.test(part) ? part : '[hidden]'))
  return start.replace(/\/\/[^/@]*@/, '//') + parts.join('/')
}

export function shownPath(file, home) {
  return file.startsWith(home + path.sep) ? `~${file.slice(home.length)}` : file
}
