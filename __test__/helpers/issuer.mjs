// A real issuer of tokens on loopback: the package oidc-provider. Its clients are programs with a secret, and each has groups.
import http from 'node:http'

import { Provider } from 'oidc-provider'

const SECRET = 's'.repeat(40)

/**
 * @param {{ audience: string, people: Record<string, unknown>, claim?: string }} wanted `people`: the groups of each, as they
 * stand in the token. `audience`: of all tokens, whatever is asked for; it may be changed in `state`
 */
export async function openIssuer(t, { audience, people, claim = 'groups' }) {
  const server = http.createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${server.address().port}`
  const state = { audience, asked: [] }
  const provider = new Provider(issuer, {
    clients: Object.keys(people).map((id) => ({
      client_id: id,
      client_secret: SECRET,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    scopes: ['tools'],
    extraTokenClaims: (_, { clientId }) => ({ [claim]: people[clientId] }),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'https://anything.example',
        getResourceServerInfo: () => ({
          scope: 'tools',
          audience: state.audience,
          accessTokenTTL: 600,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  })
  server.on('request', (request, response) => {
    state.asked.push(request.url)
    return provider.callback()(request, response)
  })
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  t.teardown(close)
  return {
    issuer,
    state,
    secret: SECRET,
    close,
    /** An access token of a person. */
    tokenOf: async (person) => {
      const answer = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${Buffer.from(`${person}:${SECRET}`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'tools' }),
      })
      const { access_token: token, ...rest } = await answer.json()
      if (token === undefined) throw new Error(JSON.stringify(rest))
      return token
    },
  }
}
