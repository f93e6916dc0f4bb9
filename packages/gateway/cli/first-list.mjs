// What a client sees at first, as a client sees it: over the protocol, in this process.

const PROTOCOL_VERSION = '2025-11-25'

/** @param {Pick<import('../gateway/gateway.mjs').Gateway, 'clientInfo' | 'connect'>} gateway @returns {Promise<object[]>} its tools */
export async function firstList(gateway) {
  const waiting = new Map()
  const transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: async ({ id, result, error }) => {
      const { resolve, reject } = waiting.get(id) ?? {}
      if (error) reject?.(new Error(error.message))
      else resolve?.(result)
    },
  }
  const ask = (id, method, params) =>
    new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      transport.onmessage({ jsonrpc: '2.0', id, method, params })
    })
  const session = await gateway.connect(transport)
  try {
    const clientInfo = { name: 'tool-router-gateway doctor', version: gateway.clientInfo.version }
    await ask(1, 'initialize', { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo })
    transport.onmessage({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return (await ask(2, 'tools/list', {})).tools
  } finally {
    await session.close()
  }
}
