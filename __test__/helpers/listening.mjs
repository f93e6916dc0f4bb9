// A server over HTTP on loopback, which ends with its test.
import http from 'node:http'

/**
 * @param {(request: http.IncomingMessage, response: http.ServerResponse) => unknown} answer
 * @param {(...given: any[]) => void} [onConnect] for one that is a proxy
 * @returns {Promise<string>} its address
 */
export async function listening(t, answer, onConnect) {
  const server = http.createServer(answer)
  if (onConnect) server.on('connect', onConnect)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${server.address().port}`
}

/** The body of a request. */
export async function bodyOf(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
