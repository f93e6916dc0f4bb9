// The suite cannot send a token. This stands before the gateway, adds it, and changes nothing else: what the suite says about
// host and origin is said to the gateway, with the gateway's own name instead of this one's.

import http from 'node:http'

/**
 * @param {{ url: string, token: string }} endpoint of a gateway
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function openShim({ url, token }) {
  const target = new URL(url)
  const names = () => [`localhost:${shim.address().port}`, `127.0.0.1:${shim.address().port}`]
  const translated = (value) => names().reduce((text, name) => text?.replace(name, target.host), value)
  const shim = http.createServer((request, response) => {
    const { host, origin } = request.headers
    const headers = { ...request.headers, host: translated(host), authorization: `Bearer ${token}` }
    if (origin !== undefined) headers.origin = translated(origin)
    const options = { port: target.port, host: target.hostname, method: request.method, path: request.url, headers }
    const passed = http.request(options, (answer) => {
      response.writeHead(answer.statusCode, answer.headers)
      response.flushHeaders()
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    request.pipe(passed)
  })
  await new Promise((resolve) => shim.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${shim.address().port}/mcp`,
    close: () => {
      shim.close()
      shim.closeAllConnections()
    },
  }
}
