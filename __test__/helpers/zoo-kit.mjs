// The kit's own code for the extension, compiled, over a hub of real servers. What it imports of the extension is played in its tree.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { build } from 'esbuild'

const UNITS = fileURLToPath(new URL('../../apps/zoo-kit/units', import.meta.url))
const output = fs.mkdtempSync(path.join(os.tmpdir(), 'tool-router-zoo-kit-'))
process.on('exit', () => fs.rmSync(output, { recursive: true, force: true }))

/** A module of a unit that imports nothing of the extension but types. */
export async function loadUnit(name) {
  const outfile = path.join(output, `${path.basename(name, '.ts')}.mjs`)
  const entryPoints = [path.join(UNITS, name)]
  await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' })
  return import(pathToFileURL(outfile).href)
}

/** A place for states of tasks. */
export function memoryStore(states = new Map()) {
  return { states, read: async (id) => states.get(id), write: async (id, state) => void states.set(id, state) }
}

/** A chat as the extension keeps it. */
export class Chat {
  messages = []
  #at = 0

  say(say, text, more = {}) {
    this.#at += 1
    this.messages.push({ ts: this.#at, type: 'say', say, text, ...more })
  }

  user(text) {
    this.say(this.messages.length === 0 ? 'text' : 'user_feedback', text)
  }

  condensed(summary) {
    this.say('condense_context', undefined, { contextCondense: { summary } })
  }
}
