// What a gateway keeps beyond its own end: the claims of every store over files, and what is so of files alone.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { inspect } from 'node:util'

import test from 'ava'

import { deliver } from '../../../packages/gateway/calls/delivery.mjs'
import { readConfig } from '../../../packages/gateway/config/read.mjs'
import { FileStore } from '../../../packages/gateway/store/files.mjs'
import { folder, MARKED, overStdio } from '../../helpers/gateway.mjs'
import { claimsOf, definitions } from '../../helpers/store-claims.mjs'
import { where } from '../../helpers/skips.mjs'

const folders = (t) => {
  const place = folder(t)
  return { listDir: path.join(place, 'lists'), approvalDir: path.join(place, 'approved') }
}

claimsOf('files', async (t) => {
  const settings = folders(t)
  return async () => new FileStore(settings)
})

const [SERVER] = definitions({ one: { command: 'one', env: { KEY: 'a-secret-value' } } })
const only = (place) => path.join(place, readdirSync(place)[0])

test('without a folder for lists none is kept', async (t) => {
  const { approvalDir } = folders(t)
  const store = new FileStore({ listDir: undefined, approvalDir })
  await store.writeList(SERVER, { tools: [{ name: 'a' }] })
  t.is(await store.readList(SERVER), undefined)
})

const onPosix = where(process.platform !== 'win32', 'Windows has no such files')

onPosix('a pipe that nobody fills, a device without an end and a link are as good as none', async (t) => {
  const settings = folders(t)
  const store = new FileStore(settings)
  const after = { accepted: new Map([['a', { hash: 'h', definition: '{}' }]]), changed: new Map() }
  await store.writeList(SERVER, { tools: [{ name: 'a' }] })
  await store.changeApprovals(SERVER, () => ({ after, result: undefined }))
  const files = [settings.listDir, settings.approvalDir].map((place) =>
    path.join(
      place,
      readdirSync(place).find((name) => name.endsWith('.json')),
    ),
  )
  for (const put of [
    (file) => execFileSync('mkfifo', [file]),
    (file) => symlinkSync('/dev/zero', file),
    (file) => symlinkSync(`${file}.own`, file),
  ]) {
    for (const file of files) {
      if (existsSync(`${file}.own`)) rmSync(file)
      else renameSync(file, `${file}.own`)
      put(file)
    }
    t.is(await store.readList(SERVER), undefined)
    t.is((await store.readApprovals(SERVER)).accepted.size, 0)
  }
  await store.close()
})

test('a damaged file is as good as none', async (t) => {
  const settings = folders(t)
  const store = new FileStore(settings)
  await store.writeList(SERVER, { tools: [{ name: 'a' }] })
  const seen = { hash: 'h', definition: '{}' }
  const after = { accepted: new Map([['a', seen]]), changed: new Map() }
  await store.changeApprovals(SERVER, () => ({ after, result: undefined }))
  for (const place of Object.values(settings))
    for (const text of ['', '{', '[]', '{"version":2,"tools":[],"accepted":[],"changed":[]}', '{"version":1}']) {
      writeFileSync(only(place), text)
      t.is(await store.readList(SERVER), undefined)
      t.is(await store.readList(SERVER), undefined)
      t.is((await store.readApprovals(SERVER)).accepted.size, place === settings.approvalDir ? 0 : 1)
    }
})

test('files are for the user alone, and no value of a variable is in them', async (t) => {
  const settings = folders(t)
  const store = new FileStore(settings)
  await store.writeList(SERVER, { tools: [{ name: 'a' }] })
  const after = { accepted: new Map([['a', { hash: 'h', definition: '{}' }]]), changed: new Map() }
  await store.changeApprovals(SERVER, () => ({ after, result: undefined }))
  for (const place of Object.values(settings)) {
    t.is(readdirSync(place).length, 1)
    t.false(readFileSync(only(place), 'utf8').includes('a-secret-value'))
    if (process.platform !== 'win32')
      t.deepEqual([statSync(place).mode & 0o077, statSync(only(place)).mode & 0o077], [0, 0])
  }
})

test('the address of a database is read with its placeholders, and shown without its password', (t) => {
  const read = (store, env = {}) => readConfig({ mcpServers: {}, gateway: { store } }, { env }).settings.store
  const address = read('postgres://me:${env:SECRET}@db:5433/name?sslmode=require&password=more', {
    SECRET: 'hidden-one',
  })
  t.is(address.whole, 'postgres://me:hidden-one@db:5433/name?sslmode=require&password=more')
  for (const shown of [`${address}`, inspect({ address }), JSON.stringify({ address })]) {
    t.true(shown.includes('postgres://me@db:5433/name'))
    t.notRegex(shown, /hidden-one|more/)
  }
  t.is(read(undefined), undefined)
  for (const wrong of ['mysql://me:hidden-one@db/name', 'hidden-one', 'postgres//x', 7, '${env:UNSET}']) {
    const { code, message } = t.throws(() => read(wrong))
    t.is(code, 'ERR_INVALID_ARGUMENT')
    t.regex(message, /^config\.gateway\.store: expected /)
    t.notRegex(message, /hidden-one/)
  }
})

test('a call that fails, or that cannot be made, is no use of its tool', async (t) => {
  const used = []
  const desk = { router: { recordUse: async ({ toolName }) => used.push(toolName) } }
  const row = { noted: async () => {}, ended: () => {} }
  const call = (toolName, request) => {
    const entry = { tools: new Map(), names: new Map(), downstream: { name: 's', request } }
    return deliver(desk, { entry, serverName: 's', toolName }, {}, {}, row)
  }
  await call('wrong', async () => ({ isError: true, content: [] }))
  await t.throwsAsync(call('gone', () => Promise.reject(new Error('no connection'))))
  await call('right', async () => ({ content: [] }))
  t.deepEqual(used, ['right'])
})

test('which tools are called is kept for the next gateway of the user', async (t) => {
  const dir = path.join(folder(t), 'kept')
  const config = { mcpServers: { marked: { command: process.execPath, args: [MARKED, 'word'] } }, gateway: { dir } }
  const client = await overStdio(t, config)
  await client.use('mcp--marked--word_list_t0', {})
  t.deepEqual(JSON.parse(readFileSync(path.join(dir, 'uses.json'), 'utf8')).uses, [['marked', 'word_list_t0']])
})
