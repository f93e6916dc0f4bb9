// What TypeScript says of the gateway's types.
import { createGateway, type Gateway, type GatewayConfig } from '@zoo-code/tool-router-gateway'

const config: GatewayConfig = {
  mcpServers: {
    files: { command: 'node', args: ['server.js'], env: { KEY: 'x' }, alwaysLoad: ['read_file'], alwaysAllow: [] },
    far: { type: 'streamable-http', url: 'https://example.org/mcp' },
  },
  modules: { reading: { tools: ['files/read_file', { serverName: 'a/b', toolName: 'c' }], essential: true } },
  modes: { debug: { description: 'Find a bug', servers: ['files'] } },
  gateway: { metaTools: ['mcp_load'], dir: 'kept' },
}

const gateway: Gateway = await createGateway({ config, log: (line: string) => void line })
const { url, token } = await gateway.listen({ port: 0 })
const { pageUrl } = await gateway.listen({ page: true })
export const page: string | undefined = pageUrl
const text: string = url + token
const pending: string[] = await gateway.ready({ timeoutMs: 1 })
await gateway.removeServer(text + pending.join())

// @ts-expect-error no such meta tool
config.gateway = { metaTools: ['load'] }
// @ts-expect-error a mode needs a description
config.modes = { debug: {} }
// @ts-expect-error only loopback
await gateway.listen({ host: '0.0.0.0' })
// @ts-expect-error a server needs a command or an url
gateway.addServer('x', {})
