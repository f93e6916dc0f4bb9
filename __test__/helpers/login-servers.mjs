// Servers that want a login, and people who give it.
import path from 'node:path'

import { authorizationServer, browse, protectedServer } from './authorization-server.mjs'
import { folder, gateway, inProcess, unique, until } from './gateway.mjs'

/** A gateway before a server that wants a login, with a client. */
export async function guarded(
  t,
  { faults, entry = {}, dir = folder(t), log, scope, rights, keepsLists, gateway: settings } = {},
) {
  const servers = { current: await authorizationServer(t, faults) }
  const { url } = await protectedServer(t, servers, { scope, rights })
  const name = unique('files')
  const lines = []
  const open = async (as = name) => {
    const config = { mcpServers: { [as]: { url, ...entry } }, gateway: { dir, ...settings } }
    const opened = await gateway(t, config, { log: log ?? ((line) => lines.push(line)), keepsLists })
    return { opened, client: await inProcess(t, opened), status: () => opened.servers[0] }
  }
  return {
    ...(await open()),
    servers,
    as: servers.current,
    url,
    name,
    dir,
    loginDir: path.join(dir, 'logins'),
    lines,
    open,
  }
}

export const addressIn = (text) => /https?:\/\/[^\s"]+\/authorize[^\s")]+/.exec(text)?.[0]

/** Asks for the server by its name and gives the address to log in at. */
export async function invited(client, name) {
  for (;;) {
    const { unavailable } = await client.ask('mcp_load', { query: name })
    // On a busy machine a connection may take too long; whoever asks again gets another one.
    if (!/cannot be reached/.test(unavailable[0].detail)) return addressIn(unavailable[0].detail)
  }
}

export async function begun(logins, definition) {
  for (;;) {
    try {
      return await logins.begin(definition)
    } catch (error) {
      if (!/cannot be reached/.test(error.message)) throw error
    }
  }
}

export async function loggedIn(t, made) {
  const page = await browse(await invited(made.client, made.name))
  t.is(page.status, 200)
  await until(t, () => made.status().state === 'ready', 'somebody has logged in')
}

export const page = (response, status) =>
  response.writeHead(status, { 'Content-Type': 'text/html' }).end('<p>words-of-the-server</p>')

export const text = (response, status, body) =>
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(body)
