// A package registry on loopback, in memory: as much of npm's protocol as `npm publish`, `npm view` and `npm install` use.
// rehearsal.mjs starts it as a process of its own. Prints its address, and ends with its standard input.

import http from 'node:http'
import process from 'node:process'

const packages = new Map()
const tarballs = new Map()

const server = http.createServer(async (request, response) => {
  const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname).slice(1)
  const answer = (status, body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  if (request.method === 'PUT') {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    publish(JSON.parse(Buffer.concat(chunks)))
    return answer(201, { ok: true })
  }
  if (tarballs.has(path)) return response.writeHead(200).end(tarballs.get(path))
  return packages.has(path) ? answer(200, packages.get(path)) : answer(404, { error: 'not_found' })
})

/** Keeps a version; others of the same package stay. */
function publish({ name, versions, _attachments: attachments, 'dist-tags': tags }) {
  const known = packages.get(name) ?? { name, versions: {}, 'dist-tags': {} }
  for (const manifest of Object.values(versions)) {
    const [file] = Object.keys(attachments)
    const path = `${name}/-/${file}`
    tarballs.set(path, Buffer.from(attachments[file].data, 'base64'))
    manifest.dist.tarball = `${address()}/${encodeURI(path)}`
  }
  packages.set(name, {
    name,
    versions: { ...known.versions, ...versions },
    'dist-tags': { ...known['dist-tags'], ...tags },
  })
}

const address = () => `http://127.0.0.1:${server.address().port}`

server.listen(0, '127.0.0.1', () => console.log(address()))
process.stdin.on('close', () => process.exit()).resume()
