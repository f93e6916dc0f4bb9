// All baselines and peers by name.

import fs from 'node:fs'
import path from 'node:path'

import { stemmer } from 'stemmer'

import { SetError } from '../sets.mjs'
import { lexicalBaselines, vectorBaselines } from './baselines.mjs'
import { libraries } from './peers.mjs'
import { RATEL, ratel } from './ratel.mjs'
import { Vectors } from './vectors.mjs'

/**
 * @param {string} wanted names by commas, `all` or `none`
 * @param {(line: string) => void} say
 * @returns {Promise<{ systems: object[], close: () => Promise<void> }>}
 * @throws {SetError} for a name that there is not
 */
export async function chooseBaselines(wanted, say) {
  const lexical = lexicalBaselines(stemmer)
  const available = Vectors.available()
  const vectors = available ? new Vectors(say) : undefined
  const semantic = available
    ? vectorBaselines(
        vectors,
        lexical.find(({ id }) => id === 'bm25'),
      )
    : []
  if (!available) say('no model or no ONNX Runtime (npm run assets): baselines with vectors are left out')
  const product = ratel(say)
  const all = [...lexical, ...semantic, ...libraries, ...(product ? [product] : [])]
  const names =
    wanted === 'all' ? all.map(({ id }) => id) : wanted === 'none' ? [] : wanted.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !all.some(({ id }) => id === name))
  if (unknown !== undefined)
    throw new SetError(`--baselines: expected some of ${all.map(({ id }) => id).join(', ')}, got ${unknown}`)
  return {
    systems: all.filter(({ id }) => names.includes(id)),
    close: async () => Promise.all([vectors?.close(), product?.close()]),
  }
}

/** Versions of the packages that are installed, by name. */
export function packageVersions(systems) {
  const folder = path.join(import.meta.dirname, '..', 'node_modules')
  const names = systems.flatMap(({ package: name }) => name ?? [])
  return Object.fromEntries(
    names.map((name) => [
      name,
      name === RATEL.package
        ? RATEL.version
        : JSON.parse(fs.readFileSync(path.join(folder, name, 'package.json'), 'utf8')).version,
    ]),
  )
}
