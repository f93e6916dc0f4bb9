// Three real servers in the router, and a session that has begun before a capability is missing.
import { readDefinitions, RunningServers } from '../../examples/demo/servers.mjs'
import { router } from './router.mjs'

export const NAMES = ['filesystem', 'memory', 'everything']

/** Starts the servers before the tests of a file. @returns {{ servers: Map<string, any> }} by name */
export function onServers(test) {
  const [running, servers] = [new RunningServers(), new Map()]
  test.before(async (t) => {
    t.timeout(120_000)
    for (const definition of readDefinitions(NAMES)) {
      const server = await running.start(definition)
      t.is(server.reason, undefined)
      servers.set(server.name, server)
      await router.setServer({ name: server.name, tools: server.tools, instructions: server.instructions })
    }
  })
  test.after.always(() => running.close())
  test.beforeEach(() => router.configure({}))
  return { servers }
}

/** A started session with three tools of the filesystem attached. */
export async function started(settings = {}) {
  const session = router.openSession({ settings: { threshold: 5, initialK: 3, searchK: 4, ...settings } })
  await session.start('read a file and list the directory')
  return session
}
