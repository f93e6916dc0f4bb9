// A registry of npm's protocol for tests, as a process of its own: it keeps what is published in memory, and begins with packages
// that have a manifest alone, from the JSON of its first argument. It prints its address.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** A tarball that holds a manifest and nothing else. */
export function tarballOf(manifest) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tool-router-manifest-'))
  mkdirSync(path.join(folder, 'package'))
  writeFileSync(path.join(folder, 'package', 'package.json'), JSON.stringify(manifest))
  spawnSync('tar', ['-czf', path.join(folder, 'made.tgz'), '-C', folder, 'package'])
  const bytes = readFileSync(path.join(folder, 'made.tgz'))
  rmSync(folder, { recursive: true })
  return bytes
}

/** @type {Map<string, any>} */
const packages = new Map()
const files = new Map()

/** Takes what `npm publish` sends. */
function take(origin, { name, versions, 'dist-tags': tags, _attachments: attached }) {
  const known = packages.get(name) ?? { _id: name, name, 'dist-tags': {}, versions: {}, time: {} }
  for (const [version, manifest] of Object.entries(versions)) {
    if (version in known.versions) return `${name}@${version} is published already`
    const bytes = Buffer.from(Object.values(attached)[0].data, 'base64')
    const file = `/files/${name.replaceAll(/\W/g, '-')}-${version}.tgz`
    files.set(file, bytes)
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    const shasum = createHash('sha1').update(bytes).digest('hex')
    known.versions[version] = { ...manifest, dist: { tarball: `${origin}${file}`, integrity, shasum } }
    known.time[version] = '2020-01-01T00:00:00.000Z'
  }
  Object.assign(known['dist-tags'], tags)
  packages.set(name, known)
  return undefined
}

async function answer(request) {
  const { pathname } = new URL(request.url, 'http://x')
  if (files.has(pathname)) return [200, files.get(pathname)]
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = request.method === 'PUT' ? JSON.parse(Buffer.concat(chunks)) : undefined
  const [, tagged, tag] = /^\/-\/package\/(.+?)\/dist-tags\/?(.*)$/.exec(pathname) ?? []
  const name = decodeURIComponent(tagged ?? pathname.slice(1))
  const known = packages.get(name)
  if (request.method === 'PUT') {
    if (!request.headers.authorization) return [401, { error: 'log in first' }]
    if (body?._attachments) {
      const error = take(`http://${request.headers.host}`, body)
      return error ? [403, { error }] : [201, {}]
    }
    if (known && tag) known['dist-tags'][tag] = body
    else if (known)
      for (const [version, { deprecated }] of Object.entries(body.versions))
        known.versions[version].deprecated = deprecated
    return known ? [201, {}] : [404, {}]
  }
  if (!known) return [404, { error: 'not_found' }]
  return [200, tagged === undefined ? known : known['dist-tags']]
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const server = createServer(async (request, response) => {
    const [status, said] = await answer(request)
    const text = Buffer.isBuffer(said) ? said : JSON.stringify(said)
    response.writeHead(status, {
      connection: 'close',
      'content-type': Buffer.isBuffer(said) ? 'application/octet-stream' : 'application/json',
    })
    response.end(text)
  }).listen(0, '127.0.0.1', () => {
    const origin = `http://127.0.0.1:${server.address().port}`
    for (const manifest of JSON.parse(process.argv[2] ?? '[]')) {
      const { name, version } = manifest
      const attached = { 'made.tgz': { data: tarballOf(manifest).toString('base64') } }
      take(origin, {
        name,
        versions: { [version]: manifest },
        'dist-tags': { latest: version },
        _attachments: attached,
      })
    }
    console.log(origin)
  })
}
