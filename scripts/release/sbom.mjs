// sbom.cdx.json: what is in the platforms' packages, for programs (CycloneDX); THIRD-PARTY-LICENSES.txt says it for people.
// It names neither a time nor this package's version, so that it changes only with what it lists.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { linkedCrates } from './crates.mjs'
import { ROOT } from './tools.mjs'

/** The SHA-256 of every locked crate, by name and version. */
function checksums() {
  const lock = readFileSync(join(ROOT, 'Cargo.lock'), 'utf8')
  const entries = lock.matchAll(/^name = "(.+)"\nversion = "(.+)"\nsource = .+\nchecksum = "([0-9a-f]{64})"$/gm)
  return new Map([...entries].map(([, name, version, sha256]) => [`${name} ${version}`, sha256]))
}

function crate({ name, version, licence }, sha256) {
  return {
    type: 'library',
    name,
    version,
    purl: `pkg:cargo/${name}@${version}`,
    licenses: [{ expression: licence }],
    hashes: [{ alg: 'SHA-256', content: sha256 }],
  }
}

/** ONNX Runtime, which lies beside the addon of most platforms: by the version of the library. */
function runtimes() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'scripts', 'assets.lock.json'), 'utf8'))
  const ofSherpa = /ONNX Runtime (\d+\.\d+\.\d+)/.exec(packages['sherpa-onnx-core'].why)[1]
  return [packages.onnxruntime.version, ofSherpa].map((version, at) => ({
    type: 'library',
    scope: 'optional',
    name: 'onnxruntime',
    version,
    description: `Beside the addon; ${at === 0 ? 'on all platforms but macOS x64 and musl' : 'on macOS x64'}.`,
    purl: `pkg:github/microsoft/onnxruntime@v${version}`,
    licenses: [{ expression: 'MIT' }],
  }))
}

/** The text of the file. */
export function sbom() {
  const known = checksums()
  const crates = linkedCrates()
    .toSorted((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1))
    .map((one) => crate(one, known.get(`${one.name} ${one.version}`)))
  const { name } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'library', name, description: 'The addon, on any platform, and ONNX Runtime.' } },
    components: [...crates, ...runtimes()],
  }
  return `${JSON.stringify(document, null, 1)}\n`
}
