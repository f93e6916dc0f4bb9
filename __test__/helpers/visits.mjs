// A gateway that serves its page, and browsers that come in.
import http from 'node:http'
import { gateway, odd, unique } from './gateway.mjs'

export async function serving(t, config = {}) {
  const name = unique('odd')
  const opened = await gateway(t, { mcpServers: { [name]: odd() }, ...config })
  const endpoint = await opened.listen({ page: true })
  return { opened, endpoint, name, browser: browserOf(endpoint) }
}

/** A request as any program can send it, and its answer. A stream gives its headers and `next()`. */
export function send(endpoint, { method = 'GET', path: target, headers = {}, body, stream = false }) {
  const { port, hostname } = new URL(endpoint.url)
  return new Promise((resolve, reject) => {
    const host = hostname.replaceAll(/[[\]]/g, '')
    const request = http.request({ method, path: target, port, host, agent: false, headers })
    request.on('error', reject)
    request.on('response', (response) => {
      const { statusCode: status } = response
      let text = ''
      const waiting = []
      response.on('data', (chunk) => {
        text += chunk
        for (const look of waiting.splice(0)) look()
      })
      const next = (pattern) =>
        new Promise((found) => {
          const look = () => (pattern.test(text) ? found(text) : waiting.push(look))
          look()
        })
      const end = () => resolve({ status, headers: response.headers, text, json: () => JSON.parse(text) })
      if (stream) resolve({ status, headers: response.headers, next, close: () => request.destroy() })
      else response.on('end', end)
      response.on('error', end)
    })
    if (body !== undefined) request.write(body)
    request.end()
  })
}

/** What a browser keeps of its visit, and how its page asks. */
export function browserOf(endpoint) {
  const visit = { cookie: '', key: '' }
  const ask = (target, { headers, ...how } = {}) =>
    send(endpoint, { path: target, headers: { cookie: visit.cookie, 'x-page-key': visit.key, ...headers }, ...how })
  const post = (target, value, how = {}) =>
    ask(target, {
      method: 'POST',
      body: JSON.stringify(value),
      ...how,
      headers: { 'Content-Type': 'application/json', ...how.headers },
    })
  const enter = async (proof) => {
    const answer = await post('/ui/enter', proof)
    if (answer.status === 200)
      Object.assign(visit, { cookie: answer.headers['set-cookie'][0].split(';')[0], key: answer.json().key })
    return answer
  }
  return { visit, ask, post, enter, read: async (what) => (await ask(`/ui/data/${what}`)).json() }
}

export const ticketOf = (endpoint) => new URL(endpoint.pageUrl).hash.slice(1)

export async function visiting(t, config) {
  const served = await serving(t, config)
  await served.browser.enter({ ticket: ticketOf(served.endpoint) })
  return served
}
