// The addon as a host loads it, and a router as it was when the process began.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
export const { ToolRouter, Session } = require('../../index.js')

/** Where the addon's loader lies, for child processes and workers. */
export const ADDON = require.resolve('../../index.js')

export const router = ToolRouter.shared()

/** The router is one a process, so each test starts by emptying it. Usage memory stays: it has no reset. */
export async function fresh(servers = [], settings = {}) {
  // Most claims are about the list that `tools()` answers; those about other deliveries say which.
  router.configure({ delivery: 'append', ...settings })
  router.onTelemetry(null)
  await router.setEmbedder(null)
  return router.setServers(servers, { replace: true })
}

/** Opens a session, takes its first turn, and gives both. */
export async function started(taskText, settings = {}, options = {}) {
  const session = router.openSession({ ...options, settings })
  return { session, selection: await session.start(taskText) }
}

/** What a failing call throws or rejects with; the test fails when it does neither. */
export async function failure(t, call, message) {
  try {
    await call()
  } catch (error) {
    return error
  }
  return t.fail(message ?? 'expected an error')
}

/** Asserts the one error shape and the code, and gives the error. */
export async function refused(t, code, call, message) {
  const error = await failure(t, call, message)
  if (!error) return undefined
  t.true(error instanceof Error, message)
  t.deepEqual(
    { name: error.name, code: error.code },
    { name: 'ToolRouterError', code },
    `${message ?? ''} ${error.message}`,
  )
  return error
}

/** Names of the definitions of a session, and all that it is but what its id makes differ. */
export const shown = (session) => JSON.parse(session.tools()).map(({ function: { name } }) => name)
export const stateOf = (session) => ({ state: JSON.stringify(session), tools: session.tools() })

/** The definitions of a session that attaches everything, as text and read. */
export const everything = async () => (await started('', { searchTurns: 0 })).session.tools()
export const definitions = async () => JSON.parse(await everything()).map((definition) => definition.function)

/** Provider names of tools of a server. */
export const provider = (server, ...toolNames) => toolNames.map((name) => `mcp--${server}--${name}`)

/** What a change of the catalogue holds that changes nothing. */
export const nothing = { added: [], changed: [], removed: [], unchanged: 0, refused: [] }

/** Names of an answer, best first. */
export const names = ({ tools }) => tools.map(({ name }) => name)
