// SPDX-License-Identifier: Apache-2.0
//
// 3,522 tools of 102 servers: what they cost the host's JavaScript thread, on which all other extensions run.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

import { serveCatalogue } from '../catalogue-server.mjs'

export async function scale({ window, probe, workspace, data, claim, until }) {
  const { port, names, toolCount, close } = await serveCatalogue(data)
  const measured = async (work) => {
    await probe('measure')
    await work()
    return probe('measured')
  }
  const quiet = () => sleep(5_000)
  const line = ({ mean, p99, max, cpuMs, threadMs }) =>
    `mean ${mean}, 99 % ${p99}, most ${max} ms; ${Math.round(threadMs)} ms of CPU on this thread, ${Math.round(cpuMs)} ms on all`
  try {
    let idle
    await claim('the host at rest', async () => {
      await until('it is at rest', async () => (await probe('state')).status.state === 'ready', 180_000)
      idle = await measured(quiet)
      return line(idle)
    })

    await claim(`${toolCount} tools of ${names.length} servers arrive`, async () => {
      const figures = await measured(async () => {
        for (const name of names)
          workspace.servers[name] = { type: 'http', url: `http://127.0.0.1:${port}/${encodeURIComponent(name)}` }
        workspace.write()
        await until('all are there', async () => (await probe('state')).status.toolCount >= toolCount, 180_000)
      })
      return line(figures)
    })

    await claim('while their vectors are made, tasks begin and go on', async () => {
      const figures = await measured(async () => {
        for (const text of [
          'open an issue about the login',
          'query the orders of last week',
          'send a message to the team',
        ]) {
          await probe('start', { text })
          await probe('turn', { text: `and then ${text}` })
          await probe('load', { query: text })
          await sleep(1_500)
        }
      })
      const { status, selection } = await probe('state')
      await window.picture('scale')
      assert.ok(selection.attached.length < 100 && selection.scopedCount >= toolCount)
      const added = (figures.p99 - idle.p99).toFixed(1)
      return `${selection.attached.length} of ${selection.scopedCount}, ${status.vectorCount} vectors; ${added} ms added to 99 %; ${line(figures)}`
    })

    await claim('the panel and the view with all of them', async () => {
      await window.command('MCP Tools: Context Usage')
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
