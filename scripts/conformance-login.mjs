// The client that the official conformance suite starts for its scenarios of authorization: a gateway, with a browser that
// says yes to all, and a model that calls each tool.
//
//   conformance client --command 'node scripts/conformance-login.mjs' --suite auth
//
// The suite gives the server's address as the last argument, the scenario and what it knows in variables.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { Client, InMemoryTransport } from '@modelcontextprotocol/client'

import { createGateway } from '../packages/gateway/gateway/index.mjs'

/** The address of the suite's own client id metadata document. */
const DOCUMENT = 'https://conformance-test.local/client-metadata.json'
/** Logins that one scenario may want: the first, and one for more rights; more is a server that is never content. */
const MAX_LOGINS = 3
const NAME = 'suite'

const url = process.argv.at(-1)
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const dir = mkdtempSync(path.join(tmpdir(), 'conformance-login-'))
const oauth = {
  clientMetadataUrl: DOCUMENT,
  ...(context.client_id && { clientId: context.client_id }),
  ...(context.client_secret && { clientSecret: context.client_secret }),
}

/** Opens an address as a browser does, its user saying yes to all. */
async function browse(address) {
  for (let next = address, hop = 0; next !== null && hop < 5; hop++) {
    const response = await fetch(next, { redirect: 'manual' })
    const location = response.headers.get('location')
    next = location === null ? null : new URL(location, next).href
  }
}

const gateway = await createGateway({
  config: { mcpServers: { [NAME]: { url, oauth } }, gateway: { dir } },
  log: (line) => process.stderr.write(`${line}\n`),
})
/** A model that calls a tool, and a user who opens the address that the answer gives. */
async function call(client, name) {
  for (let count = 0; count <= MAX_LOGINS; count++) {
    const answer = await client.callTool({ name: 'call_tool', arguments: { name, arguments: {} } })
    const [address] = /https?:\S+/.exec(answer.isError ? answer.content[0].text : '') ?? []
    if (address === undefined) return answer
    await browse(address)
  }
  throw new Error('more rights were wanted each time')
}

let failed = false
try {
  await gateway.ready()
  const entry = gateway.catalogue.entries.get(NAME)
  const { definition, downstream } = entry
  for (let count = 0; downstream.state === 'login' && count < MAX_LOGINS; count++) {
    const { url: address, done } = await gateway.logins.begin(definition)
    await browse(address)
    await done
    await downstream.connect()
  }
  failed = downstream.state !== 'ready'
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'conformance', version: '1.0.0' })
  await gateway.connect(theirs)
  await client.connect(ours)
  for (const name of entry.names.values()) await call(client, name)
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  failed = true
} finally {
  await gateway.close()
  rmSync(dir, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)
