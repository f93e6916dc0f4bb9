// The window is reloaded in the middle of embedding: the host before ends, nothing is left behind, the task goes on.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'

import { odd } from '../workspace.mjs'

const isThere = (pid) => {
  try {
    // One that has ended and is not collected yet is not there.
    return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

export async function reload({ window, probe, workspace, folder, claim, until }) {
  const ready = async () => {
    return until('the extension has started again', () => probe('state'))
  }

  if ((await probe('state')).selection === null) await probe('start', { text: 'list the merge requests' })

  await claim('a reload ends the host, and the task goes on in the next one', async () => {
    const before = await probe('state')
    await window.reload(probe)
    await until('the host before has ended', () => !isThere(before.pid))
    const after = await ready()
    assert.notEqual(after.pid, before.pid)
    assert.deepEqual(after.selection.attached, before.selection.attached)
    await until(
      'the status bar counts what a model gets, as before',
      async () => {
        const { definitions, selection } = await probe('state')
        const isAsBefore = definitions.join() === before.definitions.join()
        const sent = definitions.filter((name) => name !== 'mcp_load').length + selection.directory.length
        return isAsBefore && (await window.status())?.includes(`${sent} of`)
      },
      180_000,
    )
    await window.picture('after-a-reload')
    return `host ${before.pid} -> ${after.pid}`
  })

  await claim('a reload in the middle of embedding leaves no process, and the rest is made afterwards', async () => {
    const data = path.join(folder, 'data', 'User', 'globalStorage', 'zoo-code-examples.mcp-tool-router', 'vectors')
    // Vectors of well-known servers come with the package: nothing of those is left to be made.
    workspace.servers.own = odd('600')
    workspace.write()
    await until('its tools are there', async () => (await probe('state')).status.toolCount > 1_000)
    await until('its vectors are kept', () => fs.readdirSync(data, { recursive: true }).length > 0, 300_000)
    await probe('setting', { name: 'model', value: 'none' })
    await until('no model', async () => (await probe('state')).status.embedder === undefined)
    fs.rmSync(data, { recursive: true, force: true })
    await probe('setting', { name: 'model' })
    const { status, pid } = await until(
      'some vectors are made',
      async () => {
        const now = await probe('state')
        return now.status.vectorCount > 0 && now.status.vectorCount < now.status.toolCount && now
      },
      180_000,
    )
    await window.reload(probe)
    await until('the host before has ended', () => !isThere(pid))
    await ready()
    await until('all are there', async () => (await probe('state')).status.state === 'ready', 600_000)
    return `at ${status.vectorCount} of ${status.toolCount}`
  })

  await claim('a damaged task and a damaged cache of vectors: a new task, and the vectors are made again', async () => {
    const data = path.join(folder, 'data', 'User', 'globalStorage', 'zoo-code-examples.mcp-tool-router', 'vectors')
    const files = fs.readdirSync(data, { recursive: true }).map((name) => path.join(data, name))
    const { pid } = await probe('state')
    // A change of servers just before is told to the task, which saves itself once more.
    await until('the damaged task stays', async () => {
      await probe('savedTask', { value: { state: '{"version":1,"sessionId":', origins: 7 } })
      await setTimeout(2_000)
      return (await probe('keptTask')).origins === 7
    })
    const cached = files.filter((file) => fs.statSync(file).isFile())
    for (const file of cached) fs.writeFileSync(file, fs.readFileSync(file).subarray(0, -100).fill(7, 2_000))
    await window.reload(probe)
    await until('the host before has ended', () => !isThere(pid))
    assert.equal((await ready()).selection, null)
    await until(
      'all vectors exist',
      async () => {
        const { status } = await probe('state')
        return status.state === 'ready' && status.toolCount > 1_000 && status.vectorCount === status.toolCount
      },
      600_000,
    )
    await probe('start', { text: 'create a branch in the repository' })
    const { attached, directory } = (await probe('state')).selection
    assert.ok(attached.length + directory.length > 0)
    delete workspace.servers.own
    workspace.write()
    return `${cached.length} files damaged`
  })
}
