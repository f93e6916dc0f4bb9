// The local model with one folder of vectors, and texts that tell embedders apart.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { servers } from './catalogue.mjs'
import { fresh, router } from './router.mjs'

// One folder for the tests of this process, or most of their time went into the same vectors.
export const VECTORS = mkdtempSync(join(tmpdir(), 'tool-router-test-'))
process.on('exit', () => rmSync(VECTORS, { recursive: true, force: true }))

export async function withModel(list = servers()) {
  await fresh(list)
  await router.loadModel({ cacheDir: VECTORS })
  return router.ready()
}

export const ZOO = [
  {
    name: 'zoo',
    tools: [
      { name: 'orca', description: 'A whale' },
      { name: 'bakery', description: 'Makes bread' },
      { name: 'garage', description: 'Mends a car' },
    ],
  },
]

const TOPICS = ['whale', 'car', 'bread', 'music']

/** Counts words of four topics: a meaning that can be checked by hand. */
export const meaning = (text) => [0.01, ...TOPICS.map((topic) => text.toLowerCase().split(topic).length - 1)]

export const good = (texts) => texts.map(meaning)
