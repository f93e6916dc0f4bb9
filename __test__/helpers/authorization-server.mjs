// A real authorization server on loopback, as RFC 6749, 7591, 7636, 8414, 8707 and 9207 have it, and an MCP server that lets
// in nobody without its tokens. Faults are switched on by tests.
import { createHash, randomBytes } from 'node:crypto'

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { bodyOf, listening } from './listening.mjs'

const random = () => randomBytes(24).toString('base64url')

const listen = (t, answer) =>
  listening(t, (request, response) =>
    answer(request, response).catch((error) => response.writeHead(500).end(error.message)),
  )

/**
 * `faults`: metadata to replace, `registered` and `granted` (what a registration and a grant are answered with), `grants` (the scope, whatever is asked for), `iss` of answers (`null`: none), `deny`, `expiresIn`, `token` (answers renewals). What it saw: `registered`,
 * `authorized`, `tokenRequests`.
 */
export async function authorizationServer(t, faults = {}) {
  const state = { clients: new Map(), codes: new Map(), access: new Map(), refresh: new Map() }
  const seen = { registered: [], authorized: [], tokenRequests: [] }
  const json = (response, status, value) =>
    response
      .writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
      .end(JSON.stringify(value))
  const grant = (response, { client, scope: asked, resource }) => {
    const scope = faults.grants ?? asked
    const [token, refresh] = [random(), random()]
    state.access.set(token, { scope, resource })
    state.refresh.set(refresh, { client, scope, resource })
    const expires = faults.expiresIn === undefined ? 3600 : faults.expiresIn
    const granted = { access_token: token, token_type: 'Bearer', expires_in: expires, refresh_token: refresh, scope }
    json(response, 200, faults.granted?.(granted) ?? granted)
  }
  const issuer = await listen(t, async (request, response) => {
    const url = new URL(request.url, issuer)
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /.well-known/oauth-authorization-server':
        return json(response, 200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
          response_types_supported: ['code'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
          authorization_response_iss_parameter_supported: true,
          ...faults.metadata,
        })
      case 'POST /register': {
        const metadata = JSON.parse(await bodyOf(request))
        seen.registered.push(metadata)
        const client = { ...metadata, client_id: `client-${random()}`, client_id_issued_at: 1 }
        state.clients.set(client.client_id, client)
        return json(response, 201, faults.registered?.(client) ?? client)
      }
      case 'GET /authorize': {
        const asked = Object.fromEntries(url.searchParams)
        seen.authorized.push(asked)
        const client = state.clients.get(asked.client_id)
        if (
          !client?.redirect_uris.some((uri) => uri === asked.redirect_uri || samePage(client, uri, asked.redirect_uri))
        )
          return json(response, 400, { error: 'invalid_request' })
        const back = new URL(asked.redirect_uri)
        back.searchParams.set('state', asked.state)
        const iss = faults.iss === undefined ? issuer : faults.iss
        if (iss !== null) back.searchParams.set('iss', iss)
        if (faults.deny) {
          back.searchParams.set('error', 'access_denied')
          back.searchParams.set('error_description', 'words-of-the-server')
        } else {
          const code = random()
          state.codes.set(code, asked)
          back.searchParams.set('code', code)
        }
        return response.writeHead(302, { Location: back.href }).end()
      }
      case 'POST /token': {
        const form = Object.fromEntries(new URLSearchParams(await bodyOf(request)))
        const [, basic] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? []
        const [id, secret] = basic ? Buffer.from(basic, 'base64').toString().split(':') : [form.client_id]
        seen.tokenRequests.push({ ...form, client_id: id, secret })
        if (form.grant_type === 'refresh_token') {
          if (faults.token) return faults.token(response)
          const kept = state.refresh.get(form.refresh_token)
          state.refresh.delete(form.refresh_token) // once
          if (!kept || kept.client !== id)
            return json(response, 400, { error: 'invalid_grant', error_description: 'words-of-the-server' })
          return grant(response, kept)
        }
        const asked = state.codes.get(form.code)
        state.codes.delete(form.code)
        const proof = createHash('sha256').update(String(form.code_verifier)).digest('base64url')
        const fits =
          asked?.code_challenge === proof &&
          asked.code_challenge_method === 'S256' &&
          asked.redirect_uri === form.redirect_uri &&
          asked.client_id === id &&
          asked.resource === form.resource &&
          (state.clients.get(id).client_secret ?? undefined) === secret
        if (!fits) return json(response, 400, { error: 'invalid_grant' })
        return grant(response, { client: id, scope: asked.scope, resource: asked.resource })
      }
      default:
        return response.writeHead(404).end()
    }
  })
  return {
    issuer,
    seen,
    faults,
    /** What a token is good for; undefined when it was not issued here. */
    tokenFor: (token) => state.access.get(token),
    /** Ends all tokens, and with `all` what renews them. */
    revoke: ({ all = false } = {}) => {
      state.access.clear()
      if (all) state.refresh.clear()
    },
    /** Knows no client any more. */
    forget: () => state.clients.clear(),
    /** A client that is known beforehand. */
    addClient: (client) => state.clients.set(client.client_id, { redirect_uris: [], ...client }),
  }
}

/** A document names the way back without a port, as RFC 8252 has it for programs. */
function samePage({ anyPort }, one, other) {
  const [a, b] = [new URL(one), new URL(other)]
  return anyPort === true && a.hostname === b.hostname && a.pathname === b.pathname
}

/**
 * An MCP server that wants tokens of `servers.current`. Its tool `write` wants the scope `files:write` as well, and each method
 * what `rights` says of it.
 */
export async function protectedServer(t, servers, { scope = 'files:read', rights = {} } = {}) {
  const transports = new Map()
  let count = 0
  const origin = await listen(t, async (request, response) => {
    const { pathname } = new URL(request.url, origin)
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
    if (pathname === '/.well-known/oauth-protected-resource/mcp') {
      const document = { resource: `${origin}/mcp`, authorization_servers: [servers.current.issuer] }
      return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(document))
    }
    if (pathname !== '/mcp') return response.writeHead(404).end()
    const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? []
    const granted = servers.current.tokenFor(token)
    if (granted?.resource !== `${origin}/mcp`) {
      const challenge = `Bearer resource_metadata="${metadata}", scope="${scope}"`
      return response.writeHead(401, { 'WWW-Authenticate': challenge }).end(`no: ${request.headers.authorization}`)
    }
    const text = request.method === 'POST' ? await bodyOf(request) : undefined
    const wanted = text?.includes('"write"') ? 'files:write' : rights[text && JSON.parse(text).method]
    if (wanted !== undefined && (wanted === '' || !granted.scope?.split(' ').includes(wanted))) {
      const named = wanted && `scope="${wanted}", `
      const challenge = `Bearer error="insufficient_scope", ${named}resource_metadata="${metadata}"`
      return response.writeHead(403, { 'WWW-Authenticate': challenge }).end()
    }
    let transport = transports.get(request.headers['mcp-session-id'])
    if (!transport && request.headers['mcp-session-id']) return response.writeHead(404).end()
    if (!transport) {
      count += 1
      const id = `session-${count}`
      transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => id })
      transports.set(id, transport)
      await fileServer().connect(transport)
    }
    return transport.handleRequest(request, response, text && JSON.parse(text))
  })
  return { url: `${origin}/mcp` }
}

function fileServer() {
  const server = new Server({ name: 'files', version: '1.0.0' }, { capabilities: { tools: {} } })
  const tool = (name, description) => ({ name, description, inputSchema: { type: 'object' } })
  server.fallbackRequestHandler = async ({ method, params }) =>
    method === 'tools/list'
      ? { tools: [tool('read', 'Reads a file of the cabinet.'), tool('write', 'Writes a file of the cabinet.')] }
      : { content: [{ type: 'text', text: `${params.name} done` }] }
  return server
}

/** What a browser does with an address, its user saying yes to all: follows it to the end. */
export async function browse(address) {
  let url = address
  for (let hop = 0; hop < 5; hop++) {
    const response = await fetch(url, { redirect: 'manual' })
    const location = response.headers.get('location')
    if (location === null) return { status: response.status, url, text: await response.text() }
    url = new URL(location, url).href
  }
  throw new Error('too many redirects')
}
