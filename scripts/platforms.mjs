// The platforms that binaries are built for, and what is called after them. `package.json` lists them as Rust targets;
// folders, packages and binaries have napi's names (`linux-x64-gnu`).

import { readFileSync } from 'node:fs'
import process from 'node:process'

const readJson = (file) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'))
const { name, napi } = readJson('../package.json')
const { runtime } = readJson('assets.lock.json')

const ARCHITECTURES = { x86_64: 'x64', aarch64: 'arm64' }
const RUNTIMES = { linux: 'libonnxruntime.so', darwin: 'libonnxruntime.dylib', win32: 'onnxruntime.dll' }

/** napi's name of a Rust target: `x86_64-unknown-linux-gnu` is `linux-x64-gnu`. */
export function platformOf(target) {
  const architecture = ARCHITECTURES[target.split('-')[0]]
  if (target.endsWith('-apple-darwin')) return `darwin-${architecture}`
  if (target.endsWith('-pc-windows-msvc')) return `win32-${architecture}-msvc`
  return `linux-${architecture}-${target.split('-').at(-1)}`
}

/** All platforms, in the order of `package.json`. */
export const PLATFORMS = napi.targets.map(platformOf)

/**
 * The oldest glibc that binaries for Linux run with. It is VS Code's own floor (RHEL 8, Debian 10, Ubuntu 20.04), and the
 * ONNX Runtime that we ship needs 2.27.
 */
export const OLDEST_GLIBC = '2.28'

/** Platforms that no ONNX Runtime is available for: their packages have none, and rank lexically. */
export const WITHOUT_RUNTIME = PLATFORMS.filter((platform) => runtime[platform].unavailable)

/**
 * The version of glibc that this process runs with; nothing with musl. The generated index.js holds a copy of this
 * function and the next (scripts/generate.mjs), so they use nothing from outside but `process`.
 */
export function glibcVersion() {
  const { report } = process
  const { excludeNetwork } = report
  // Without this the report looks up the names of open sockets, which can take seconds.
  report.excludeNetwork = true
  const { glibcVersionRuntime } = report.getReport().header
  report.excludeNetwork = excludeNetwork
  return glibcVersionRuntime
}

/** The platform of this process, whether or not there is a build for it. */
export function hostPlatform() {
  const { platform, arch } = process
  if (platform === 'win32') return `${platform}-${arch}-msvc`
  if (platform !== 'linux') return `${platform}-${arch}`
  return `${platform}-${arch}-${glibcVersion() ? 'gnu' : 'musl'}`
}

/** The native addon's file: in the root of a checkout where it was built, and in the platform's package. */
export const addonFile = (platform) => `${napi.binaryName}.${platform}.node`

/** ONNX Runtime's file in the folder and package of a platform. */
export const runtimeFile = (platform) => RUNTIMES[platform.split('-')[0]] ?? RUNTIMES.linux

/** What the package of the model holds. */
export const MODEL_FILES =
  'model.json model.onnx tokenizer.json model.LICENSE.txt vectors.bin prototypes.bin knowledge NOTICE'.split(' ')

/** The npm package of a platform. Its folder in the checkout is `npm/<platform>`. */
export const packageOf = (platform) => `${name}-${platform}`
