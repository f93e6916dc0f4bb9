// 3,522 tools of 102 servers: what they cost the host's JavaScript thread, on which all other extensions run.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

import { serveCatalogue } from '../catalogue-server.mjs'

/**
 * CPU time of the thread that all extensions share, in milliseconds, beyond what it needs at rest; 1,300 to 1,800 were seen. It does
 * not say how long anybody waited: another process decides that too.
 */
const MOST_ADDED_MS = 4_000
const IDLE_MS = 5_000

export async function scale({ window, probe, workspace, data, claim, until }) {
  const { port, names, toolCount, close } = await serveCatalogue(data)
  const measured = async (work) => {
    await probe('measure')
    await work()
    return probe('measured')
  }
  const within = (idle, figures) => {
    const added = figures.threadMs - (idle.threadMs / idle.wallMs) * figures.wallMs
    assert.ok(added <= MOST_ADDED_MS, `${Math.round(added)} ms of CPU added on the shared thread`)
    return `${Math.round(added)} ms of CPU added on the shared thread, ${Math.round(figures.cpuMs)} ms on all threads`
  }
  const isReady = async () => {
    const { status, servers } = await probe('state')
    return status.state === 'ready' && status.toolCount > 0 && servers.every(({ state }) => state === 'connected')
  }
  const put = async (isThere) => {
    for (const name of names) {
      if (isThere)
        workspace.servers[name] = { type: 'http', url: `http://127.0.0.1:${port}/${encodeURIComponent(name)}` }
      else delete workspace.servers[name]
    }
    workspace.write()
    const what = isThere ? 'all are there' : 'none is there'
    await until(what, async () => (await probe('toolsHeld')) >= toolCount === isThere, 300_000)
  }
  const routed = async () =>
    until('they are in the router', async () => (await probe('state')).status.toolCount >= toolCount, 300_000)
  try {
    let idle
    await claim('the host at rest', async () => {
      await probe('command', { name: 'workbench.view.extension.toolRouter' }) // the view costs something while it is open
      await until('it is at rest', isReady, 180_000)
      idle = await measured(() => sleep(IDLE_MS))
      return `${Math.round(idle.threadMs)} ms of CPU in ${Math.round(idle.wallMs)} ms`
    })

    await claim(`${toolCount} tools of ${names.length} servers arrive, all of them`, async () => {
      const figures = await measured(async () => {
        await put(true)
        await routed()
      })
      return within(idle, figures)
    })

    await claim('while their vectors are made, tasks begin and go on', async () => {
      await routed()
      const figures = await measured(async () => {
        for (const text of [
          'list the issues of the project',
          'search the orders of last week',
          'create a message to a customer',
        ]) {
          await probe('start', { text })
          await probe('turn', { text: `and then ${text}` })
          await probe('load', { query: text })
          await sleep(1_500)
        }
      })
      const { status, selection } = await probe('state')
      await window.picture('scale')
      const { length } = selection.attached
      assert.ok(
        length > 0 && length < 100 && selection.scopedCount >= toolCount,
        `${length} of ${selection.scopedCount}`,
      )
      return `${selection.attached.length} of ${selection.scopedCount}, ${status.vectorCount} vectors; ${within(idle, figures)}`
    })

    await claim('the panel and the view with all of them', async () => {
      await window.command('MCP Tool Router: Context Usage')
      const frame = await window.panel()
      await until('all servers are in the table', async () => (await frame.locator('tbody tr').count()) > names.length)
      await window.picture('scale-usage')
      await probe('command', { name: 'workbench.action.closeAllEditors' })
    })
  } finally {
    for (const name of names) delete workspace.servers[name]
    workspace.write()
    await close()
  }
}
