// Plain vectors of the local model for baselines, from research/make/embed.rs. Kept in .cache/eval, by hash of model and
// texts: a second run needs no Rust.

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { hostPlatform, runtimeFile } from '../../../../../scripts/platforms.mjs'
import { LineProcess } from './line-process.mjs'

const root = path.join(import.meta.dirname, '..', '..', '..', '..', '..')
const folder = path.join(root, '.cache', 'eval', 'texts')
const modelFolder = path.join(root, 'npm', 'model')

/** A line of progress after so many texts: about ten seconds. */
const PROGRESS_TEXTS = 1000

/** Texts to unit vectors. */
export class Vectors {
  #known = new Map()
  #model
  #child

  /** @param {(line: string) => void} say */
  constructor(say) {
    this.say = say
    this.#model = createHash('sha256')
      .update(fs.readFileSync(path.join(modelFolder, 'model.onnx')))
      .digest('hex')
  }

  /** Whether the model is there: without it only lexical systems can be compared. */
  static available() {
    return fs.existsSync(path.join(modelFolder, 'model.onnx')) && runtimeLibrary() !== undefined
  }

  /** Makes the vectors of texts, or reads them when they were made before. */
  async prepare(texts, what) {
    const hash = createHash('sha256').update(this.#model)
    for (const text of texts) hash.update('\0').update(text)
    const file = path.join(folder, `${hash.digest('hex').slice(0, 32)}.f32`)
    if (fs.existsSync(file)) {
      const bytes = fs.readFileSync(file)
      const numbers = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
      const dimensions = numbers.length / texts.length
      for (const [at, text] of texts.entries())
        this.#known.set(text, numbers.subarray(at * dimensions, (at + 1) * dimensions))
      return
    }
    const vectors = []
    for (const text of texts) {
      vectors.push(await this.embed(text))
      if (vectors.length % PROGRESS_TEXTS === 0)
        this.say(`${what}: ${vectors.length} of ${texts.length} texts embedded`)
    }
    fs.mkdirSync(folder, { recursive: true })
    const unfinished = `${file}.${process.pid}`
    fs.writeFileSync(unfinished, Buffer.concat(vectors.map(({ buffer }) => Buffer.from(buffer))))
    fs.renameSync(unfinished, file) // never half a file under the name that is read
    for (const [at, text] of texts.entries()) this.#known.set(text, vectors[at])
  }

  /** The vector of a text that was prepared, or a new one. */
  async of(text) {
    return this.#known.get(text) ?? this.embed(text)
  }

  /** Runs the model on a text, prepared or not. */
  async embed(text) {
    this.#child ??= this.#start()
    return Float32Array.from(await (await this.#child).ask(text.toWellFormed()))
  }

  #start() {
    this.say('starting research/make/embed.rs, which makes vectors for the baselines; its first build takes minutes')
    const cargo = 'run --release --quiet --example embed --no-default-features --features onnx --'.split(' ')
    return LineProcess.start('cargo', [...cargo, modelFolder, runtimeLibrary()], { cwd: root })
  }

  /** Ends the child process. */
  async close() {
    const started = await this.#child
    started?.close()
    this.#child = undefined
  }
}

/** The ONNX Runtime that scripts/assets.mjs has fetched for this platform. */
function runtimeLibrary() {
  const platform = hostPlatform()
  const library = path.join(root, 'npm', platform, runtimeFile(platform))
  return fs.existsSync(library) ? library : undefined
}
