// What developers say when they need a tool of a well-known server, added to the tool's vector. A document that is expanded by
// requests that lead to it is found by more of them: Nogueira, Yang, Lin, Cho, "Document Expansion by Query Prediction", 2019.

import { spawnSync } from 'node:child_process'
import path from 'node:path'

import { hostPlatform, runtimeFile } from '../../scripts/platforms.mjs'
import { sayings } from './knowledge-files.mjs'

const ROOT = path.join(import.meta.dirname, '..', '..')
/** What the vector of a tool's phrases weighs beside the tool's own; docs/inside/vectors.md has the table. */
const WEIGHT = 0.75

/**
 * The vectors with what is said for their tools added, where anything is.
 *
 * Requests are more like each other than like tools, so any request is nearer to phrases than to tools. That the mean phrase is
 * replaced by the mean tool keeps tools with phrases from standing before those without.
 *
 * @param {[key: string, vector: Float32Array][]} vectors unit vectors by key
 * @param {{ server: string, name: string, description?: string, inputSchema?: object }[]} tools that they were made of
 * @param {string} modelId
 * @returns {[key: string, vector: Float32Array][]}
 */
export function addSayings(vectors, tools, modelId) {
  const phrases = new Map(lines(sayings()).map((line) => line.split('\t')))
  const said = tools.filter(({ server, name }) => phrases.has(`${server}::${name}`))
  const keys = lines(cargo('tool_keys', [], [modelId], said))
  const texts = said.map(({ server, name }) => phrases.get(`${server}::${name}`).replaceAll(' | ', '. '))
  const platform = hostPlatform()
  const folders = ['model', path.join(platform, runtimeFile(platform))].map((name) => path.join(ROOT, 'npm', name))
  const made = lines(cargo('embed', ['--features', 'onnx'], folders, texts)).map((line) => JSON.parse(line))
  // A key of the file has half of the digits.
  const ofKey = new Map(keys.map((key, at) => [key.slice(0, vectors[0][0].length), made[at]]))
  const both = vectors.filter(([key]) => ofKey.has(key))
  const [meanTool, meanPhrase] = [mean(both.map(([, vector]) => vector)), mean(both.map(([key]) => ofKey.get(key)))]
  const sum = (vector, phrase) =>
    vector.map((number, at) => number + WEIGHT * (phrase[at] - meanPhrase[at] + meanTool[at]))
  process.stderr.write(`knowledge: added to ${both.length} of ${vectors.length} vectors\n`)
  return vectors.map(([key, vector]) => [key, ofKey.has(key) ? sum(vector, ofKey.get(key)) : vector])
}

const lines = (text) => text.split('\n').filter(Boolean)

/** What an example answers to a line of JSON each. */
function cargo(example, features, options, input) {
  const command = [
    'run',
    '--quiet',
    '--release',
    '--example',
    example,
    '--no-default-features',
    ...features,
    '--',
    ...options,
  ]
  const { status, stdout } = spawnSync('cargo', command, {
    cwd: ROOT,
    input: input.map((line) => `${JSON.stringify(line)}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new Error(`${example} ended with status ${status}`)
  return stdout
}

/** The mean of vectors. */
function mean(vectors) {
  const sum = new Float64Array(vectors[0]?.length ?? 0)
  for (const vector of vectors) for (let at = 0; at < sum.length; at++) sum[at] += vector[at] / vectors.length
  return sum
}
