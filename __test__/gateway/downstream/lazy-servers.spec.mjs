// Servers that are known by their list on disk, and start on their first call.
import fs from 'node:fs'
import path from 'node:path'
import test from 'ava'
import { folder, gateway, inProcess, lives, odd, ODD_COUNT, unique, until } from '../../helpers/gateway.mjs'

const KEEPS = { keepsLists: true }

test('a lazy server is known without being started, starts on its first call, and stops when nobody uses it', async (t) => {
  const dir = folder(t)
  const listDir = path.join(dir, 'lists')
  const name = unique('lazy')
  const config = { mcpServers: { [name]: odd({ lazy: true }) }, gateway: { dir } }
  const first = await gateway(t, config, KEEPS) // nothing is known: it is asked once
  t.is(first.servers[0].scopedCount, ODD_COUNT)
  await until(t, () => fs.readdirSync(listDir).length === 1, 'the list is kept')
  await first.close()

  const opened = await gateway(t, config, { ...KEEPS, fixed: { serverIdleMs: 1_000 } })
  const client = await inProcess(t, opened)
  t.deepEqual(
    [opened.servers[0].state, opened.servers[0].pid, opened.servers[0].scopedCount],
    ['idle', null, ODD_COUNT],
  )
  const { loaded } = await client.ask('mcp_load', { query: 'tell_pid' })
  t.is(loaded.length, 1)
  t.is(opened.servers[0].state, 'idle')
  const pid = Number((await client.use(`mcp--${name}--tell_pid`)).content[0].text)
  t.true(lives(pid))
  await until(t, () => opened.servers[0].state === 'idle' && !lives(pid), 'it rests again')
  t.not((await client.use(`mcp--${name}--tell_pid`)).content[0].text, String(pid))
})

test('a damaged list on disk costs a start and nothing else', async (t) => {
  const dir = folder(t)
  const listDir = path.join(dir, 'lists')
  const name = unique('lazy')
  const config = { mcpServers: { [name]: odd({ lazy: true }) }, gateway: { dir } }
  await (await gateway(t, config, KEEPS)).close()
  const [file] = fs.readdirSync(listDir)
  t.is(fs.statSync(path.join(listDir, file)).mode & 0o077, 0, 'for the user alone')
  for (const text of [
    '',
    '{',
    '{"version":1,"tools":7}',
    '{"version":99,"tools":[]}',
    '[]',
    'null',
    JSON.stringify({ version: 1, tools: Array.from({ length: 6_000 }, () => 7) }),
  ]) {
    fs.writeFileSync(path.join(listDir, file), text)
    const opened = await gateway(t, config, KEEPS)
    t.is(opened.servers[0].scopedCount, ODD_COUNT, text)
    await opened.close()
  }
})
