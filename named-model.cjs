'use strict'
// Models by their names in fastembed: found in a cache of the layout that Hugging Face's own tools use, checked, and
// downloaded when the host says so. The addon itself opens no connection.
//
//   <cache>/models--<owner>--<name>/refs/main                 the commit
//   <cache>/models--<owner>--<name>/snapshots/<commit>/...    links to blobs, under the names of the repository
//   <cache>/models--<owner>--<name>/blobs/<hash>              contents, each named by its own hash

const { createHash, randomBytes } = require('node:crypto')
const { createReadStream } = require('node:fs')
const { copyFile, mkdir, open, readFile, readlink, rename, rm, stat, symlink, writeFile } = require('node:fs/promises')
const { basename, dirname, join, relative } = require('node:path')

/** Where files come from, unless the environment names a mirror as it does for Hugging Face's tools. */
const ENDPOINT = 'https://huggingface.co'
/** Bytes of one file at most: as many as the addon reads of a model. */
const MAX_BYTES = 2 ** 30
/** Redirects of one request for the facts of a file: repositories are renamed, once or twice. */
const MAX_REDIRECTS = 3
/** Milliseconds in which a hub answers about a file, and in which it goes on sending one. */
const LIMITS = { answer: 30_000, silence: 60_000 }
/** The hashes that a hub names contents by: SHA-256 of large files, git's SHA-1 of small ones. */
const HASH = /^(?:[0-9a-f]{64}|[0-9a-f]{40})$/
const COMMIT = /^[0-9a-f]{40}$/
/** What was downloaded where a file system has no links. */
const RECORD = '.tool-router.json'

/**
 * The folder that holds a model's files, all of them there and whole.
 *
 * @param {{ name: string, repository: string, files: string[], folder: string | null }} model as the addon knows it
 * @param {{ download?: boolean, modelCacheDir?: string, signal?: AbortSignal }} options
 * @param {(code: string, message: string, cause?: unknown) => Error} failure makes an error of this package
 * @param {{ answer: number, silence: number }} limits how long a hub is waited for
 * @returns {Promise<string>}
 */
async function modelFolder(
  model,
  { download = false, modelCacheDir = model.folder, signal },
  failure,
  limits = LIMITS,
) {
  const wrong = (field, expected, got) =>
    failure(
      'ERR_INVALID_ARGUMENT',
      `loadModel.${field}: expected ${expected}, got ${JSON.stringify(got) ?? typeof got}`,
    )
  if (typeof download !== 'boolean') throw wrong('download', 'true or false', download)
  if (modelCacheDir === null)
    throw wrong('modelCacheDir', 'a folder, because this system has no cache folder', undefined)
  if (typeof modelCacheDir !== 'string' || modelCacheDir === '') throw wrong('modelCacheDir', 'a folder', modelCacheDir)
  const root = join(modelCacheDir, `models--${model.repository.replaceAll('/', '--')}`)
  const found = await look(root, model, signal)
  if (found.folder) return found.folder
  if (!download) {
    if (found.damaged) throw failure('ERR_MODEL_INVALID', `the model at ${root} is invalid: ${found.damaged}`)
    const step = `pass download: true, or place the files of ${model.repository} there`
    throw failure('ERR_MODEL_NOT_FOUND', `${model.name} is not in ${modelCacheDir}; ${step}`)
  }
  try {
    return await fetchModel(root, model, { signal, ...limits })
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause.name === 'ToolRouterError') throw cause
    const reason = cause.cause?.code ?? cause.message
    throw failure('ERR_MODEL_NOT_FOUND', `${model.name} could not be downloaded from ${endpoint()}: ${reason}`, cause)
  }
}

/** What the cache has of a model: its folder, or what is damaged, or neither. */
async function look(root, { files }, signal) {
  const commit = (await readText(join(root, 'refs', 'main')))?.trim()
  if (!COMMIT.test(commit ?? '')) return {}
  const folder = join(root, 'snapshots', commit)
  const record = recordIn((await readText(join(folder, RECORD))) ?? '{}')
  if (!record) return { damaged: `${RECORD}: it is not a JSON object` }
  for (const file of files) {
    const at = join(folder, file)
    const facts = await stat(at).catch(() => undefined)
    if (!facts?.isFile()) return {}
    const hash = basename((await readlink(at).catch(() => undefined)) ?? String(record[file] ?? ''))
    // A file that somebody put there without its hash is checked by its structure alone, as one of modelDir is.
    if (HASH.test(hash) && (await hashOf(at, facts.size, hash.length, signal)) !== hash)
      return { damaged: `${file}: its content is not the one that its name ${hash} says` }
  }
  return { folder }
}

/** What was downloaded, by file; nothing where the record is damaged. */
function recordIn(text) {
  try {
    const record = JSON.parse(text)
    return typeof record === 'object' && !Array.isArray(record) ? record : null
  } catch {
    return null
  }
}

const readText = (file) => readFile(file, 'utf8').catch(() => undefined)

/** A hash in the making: SHA-256 of 64 digits, or git's of 40. */
function hashing(digits, size) {
  return digits === 64 ? createHash('sha256') : createHash('sha1').update(`blob ${size}\0`)
}

async function hashOf(file, size, digits, signal) {
  const hash = hashing(digits, size)
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20, signal })) hash.update(chunk)
  return hash.digest('hex')
}

function endpoint() {
  return (process.env.HF_ENDPOINT || ENDPOINT).replace(/\/+$/, '')
}

/** Downloads what a model needs; the reference to it is written last. */
async function fetchModel(root, { repository, files }, waiting) {
  const facts = []
  for (const file of files) facts.push(await factsOf(repository, file, waiting))
  const [{ commit }] = facts
  if (facts.some((each) => each.commit !== commit)) throw new Error('the repository changed meanwhile; try again')
  const folder = join(root, 'snapshots', commit)
  await mkdir(join(root, 'blobs'), { recursive: true })
  for (const { file, url, hash, size } of facts) {
    const blob = join(root, 'blobs', hash)
    const there = await stat(blob).catch(() => undefined)
    const isWhole = there?.isFile() && (await hashOf(blob, there.size, hash.length, waiting.signal)) === hash
    if (!isWhole) await fetchBlob(url, blob, { hash, size }, waiting)
    const at = join(folder, file)
    await mkdir(dirname(at), { recursive: true })
    await rm(at, { force: true })
    await symlink(relative(dirname(at), blob), at).catch(() => copyFile(blob, at))
  }
  await writeFile(join(folder, RECORD), JSON.stringify(Object.fromEntries(facts.map(({ file, hash }) => [file, hash]))))
  await mkdir(join(root, 'refs'), { recursive: true })
  await writeFile(join(root, 'refs', 'main'), commit)
  return folder
}

/** What the hub says of a file before it sends it: its commit, its hash and its size. */
async function factsOf(repository, file, { signal, answer }) {
  let url = `${endpoint()}/${repository}/resolve/main/${file}`
  for (let redirects = 0; ; redirects++) {
    const watched = watch(signal, answer, 'no answer')
    const { status, headers } = await watched.fetch(url, { method: 'HEAD', redirect: 'manual' }).finally(watched.end)
    const location = headers.get('location')
    const hash = (headers.get('x-linked-etag') ?? headers.get('etag') ?? '').replace(/^W\/|"/g, '')
    const commit = headers.get('x-repo-commit') ?? ''
    if (status < 400 && HASH.test(hash) && COMMIT.test(commit)) {
      const size = Number(headers.get('x-linked-size') ?? headers.get('content-length'))
      if (!(size > 0 && size <= MAX_BYTES)) throw new Error(`${file}: expected 1 to ${MAX_BYTES} bytes, got ${size}`)
      return { file, url, hash, size, commit }
    }
    const isElsewhere = status >= 300 && status < 400 && location !== null && redirects < MAX_REDIRECTS
    if (!isElsewhere) throw new Error(`${file}: the server answered ${status} without a hash`)
    url = new URL(location, url).href
  }
}

/** A request that ends with `signal`, or when nothing has come for so many milliseconds. */
function watch(signal, limit, what) {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(new Error(`${what} within ${limit / 1000} s`)), limit)
  const signals = signal ? [signal, over.signal] : [over.signal]
  return {
    fetch: (url, options) => fetch(url, { ...options, signal: AbortSignal.any(signals) }),
    goesOn: () => timer.refresh(),
    end: () => clearTimeout(timer),
  }
}

/** Downloads into a new file beside the blob, which it becomes once its content is what its name says. */
async function fetchBlob(url, blob, { hash: expected, size }, { signal, silence }) {
  const part = `${blob}.${randomBytes(8).toString('hex')}.part`
  const file = await open(part, 'wx', 0o600)
  const watched = watch(signal, silence, 'nothing more')
  try {
    const answer = await watched.fetch(url)
    if (!answer.ok || !answer.body) throw new Error(`the server answered ${answer.status}`)
    const hash = hashing(expected.length, size)
    let got = 0
    for await (const chunk of answer.body) {
      watched.goesOn()
      got += chunk.length
      if (got > size) break
      hash.update(chunk)
      await file.write(chunk)
    }
    if (got !== size) throw new Error(`expected ${size} bytes, got ${got > size ? 'more' : got}`)
    const digest = hash.digest('hex')
    if (digest !== expected) throw new Error(`expected content with hash ${expected}, got ${digest}`)
    await file.close()
    await rename(part, blob)
  } catch (error) {
    await file.close().catch(() => {})
    await rm(part, { force: true })
    throw error
  } finally {
    watched.end()
  }
}

module.exports = { modelFolder }
