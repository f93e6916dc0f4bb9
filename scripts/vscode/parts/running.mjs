// Servers that come, change, fail and go while the window is open.

import assert from 'node:assert/strict'
import path from 'node:path'
import process from 'node:process'

import { odd } from '../workspace.mjs'

export async function running({ window, probe, workspace, claim, until }) {
  const row = (text) => window.row(text)
  const server = async (name) => (await probe('state')).servers.find((other) => other.name === name)

  const addLate = async () => {
    workspace.servers.late = odd('3')
    workspace.write()
    await until('it is connected', async () => (await server('late'))?.state === 'connected')
    await until(
      'its tools are there',
      async () => (await probe('rank', { query: 'odd_tool_2' })).tools[0]?.serverName === 'late',
    )
  }

  await claim('a server that is added to mcp.json connects, and the running task can load from it', async () => {
    await addLate()
    const { loaded } = await probe('load', { query: 'mcp--late--odd_tool_2' })
    assert.deepEqual(
      loaded.map(({ name }) => name),
      ['mcp--late--odd_tool_2'],
    )
  })

  await claim('one that is changed there starts again with its new tools, and a changed tool is marked', async () => {
    workspace.servers.late = odd('4', 'in other words')
    workspace.write()
    await until('it has four', async () => (await server('late'))?.tools === 4)
    await probe('command', { name: 'workbench.view.extension.toolRouter' })
    await window.expand('late', 'odd_tool_1')
    await until('the view marks them', async () => (await row('odd_tool_1').textContent()).includes('changed'))
    await window.picture('changed-tools')
    const isSeen = async () => !(await row('odd_tool_1').textContent()).includes('changed')
    await window.insist('seen is seen', () => row('odd_tool_1').locator('.monaco-icon-label').click(), isSeen)
  })

  await claim('one that is taken out of mcp.json ends, and the task keeps its other tools', async () => {
    const { definitions: before } = await probe('state')
    delete workspace.servers.late
    workspace.write()
    await until('it is gone', async () => (await server('late')) === undefined)
    await until('its tools are gone', async () => !(await probe('state')).definitions.includes('mcp--late--odd_tool_2'))
    const { definitions: after } = await probe('state')
    assert.deepEqual(
      after,
      before.filter((name) => !name.startsWith('mcp--late--')),
    )
  })

  await claim('a server that dies is started again, and its tools stay meanwhile', async () => {
    await addLate()
    await probe('load', { query: 'mcp--late--odd_tool_1' })
    const input = { name: 'mcp--late--odd_tool_1', arguments: { die: true } }
    await probe('call', { server: 'late', ...input, name: 'odd_tool_1' }).catch(() => {})
    assert.ok((await probe('state')).definitions.includes('mcp--late--odd_tool_1'))
    await until('it is back', async () => (await server('late'))?.state === 'connected')
  })

  let count = 0
  for (const [what, entry] of Object.entries({
    'a command that does not exist': { command: path.join(workspace.folder, 'missing') },
    'a program that is no server': { command: process.execPath, args: ['-e', 'console.log("hello")'] },
    'a program that ends immediately': { command: process.execPath, args: ['-e', 'process.exit(3)'] },
    'a server that answers with rubbish': odd('rubbish'),
    'a server with tools of every wrong shape': odd('shapes'),
    'a server of hostile texts': odd('hostile'),
    'an entry that is no object': 7,
    'an address that nobody listens at': { type: 'http', url: 'http://127.0.0.1:9/mcp' },
    'an input that nobody gave': { command: process.execPath, args: ['${input:secret}'] },
  })) {
    await claim(`${what}: the others go on, and the reason is shown`, async () => {
      const name = `fault${++count}`
      workspace.servers[name] = entry
      workspace.write()
      const found = await until(
        'it is known',
        async () => {
          const now = await server(name)
          return now && !['asking', 'connecting', 'closed'].includes(now.state) && now
        },
        150_000,
      )
      const { status, servers } = await probe('state')
      assert.ok(status.toolCount > 400, 'tools of the others')
      assert.ok(servers.filter((other) => !other.name.startsWith('fault')).every(({ state }) => state === 'connected'))
      return `${found.state}${found.reason ? `, ${found.reason.slice(0, 80)}` : `, ${found.tools} tools`}`
    })
  }
  await window.hoverStatus()
  await window.picture('a-failed-server')

  await claim('a file that is cut is named with its line, and no server ends over it', async () => {
    for (const name of Object.keys(workspace.servers)) if (/^(late|fault)/.test(name)) delete workspace.servers[name]
    const text = workspace.write()
    const count = Object.keys(workspace.servers).length
    await until('the others are gone', async () => (await probe('state')).servers.length === count)
    const { servers: before } = await probe('state')
    try {
      for (const part of [0.9, 0.5, 0.2]) {
        workspace.write(text.slice(0, text.length * part))
        await until('it is told', async () => /line \d+: \w+/.test(await window.hoverStatus()))
        if (part === 0.5) await window.picture('a-cut-file')
        assert.deepEqual((await probe('state')).servers, before)
      }
      workspace.write('')
      await until('an empty one is told too', async () => /line 1: \w+/.test(await window.hoverStatus()))
      assert.deepEqual((await probe('state')).servers, before)
    } finally {
      workspace.write()
    }
    await until('it is forgotten', async () => (await probe('state')).problems.length === 0)
  })
}
