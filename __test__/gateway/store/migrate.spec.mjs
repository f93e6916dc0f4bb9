// From files to a database: what a gateway keeps in files is in the database after `migrate-store`, and nothing else changes.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import test from 'ava'
import pg from 'pg'

import { runMigrateStore } from '../../../packages/gateway/cli/migrate-store.mjs'
import { readConfigFile } from '../../../packages/gateway/config/read.mjs'
import { readStoreAddress } from '../../../packages/gateway/config/address.mjs'
import { FileStore } from '../../../packages/gateway/store/files.mjs'
import { PostgresStore } from '../../../packages/gateway/store/postgres/store.mjs'
import { run } from '../../helpers/child.mjs'
import { CLI, folder } from '../../helpers/gateway.mjs'
import { read } from '../../helpers/pages.mjs'
import { MISSING, PASSWORD, sharedPostgres } from '../../helpers/postgres.mjs'
import { where } from '../../helpers/skips.mjs'

const claim = where(MISSING === undefined, MISSING)

const server = sharedPostgres(test)

const [, DOCUMENTED] = /^npx @zoo-code\/tool-router-gateway (migrate-store .*)$/m.exec(read('docs/team.md'))
const ODD = 'nul\0and\ud800'
const seen = (text) => ({ hash: Buffer.from(text).toString('base64url'), description: text })
const approvals = (accepted, changed = {}) => ({
  accepted: new Map(Object.entries(accepted).map(([name, text]) => [name, seen(text)])),
  changed: new Map(Object.entries(changed).map(([name, text]) => [name, seen(text)])),
})
const keep = (store, definition, after) => store.changeApprovals(definition, () => ({ after, result: undefined }))

/** Files of a gateway with three servers, of which the last has nothing, beside a database that is empty. */
async function kept(t, settings = {}) {
  const place = folder(t)
  const database = MISSING === undefined ? await server.database() : undefined
  const address = database && server.addressOf(database)
  const [cacheDir, approvalDir] = ['lists', 'approved'].map((name) => path.join(place, name))
  const mcpServers = Object.fromEntries(['one', 'two', 'new'].map((name) => [name, { command: name }]))
  const file = path.join(place, 'mcp.json')
  const gateway = { store: address, cacheDir, approvalDir, ...settings }
  writeFileSync(file, JSON.stringify({ mcpServers, gateway }))
  const [one, two, none] = readConfigFile(file).servers.values()
  const files = new FileStore({ cacheDir, approvalDir })
  const extensions = { 'example.com/ui': { a: 1 } }
  await files.writeList(one, { tools: [{ name: 'a' }, { name: ODD, description: ODD }], instructions: ODD, extensions })
  await keep(files, one, approvals({ a: 'was', [ODD]: ODD, b: 'b' }, { a: 'is' }))
  await keep(files, two, approvals({ c: 'of the files' }))
  const contents = () =>
    [cacheDir, approvalDir].flatMap((at) =>
      readdirSync(at).map((name) => [name, readFileSync(path.join(at, name), 'utf8')]),
    )
  const store = address && new PostgresStore(pg, readStoreAddress(address, 'store'))
  t.teardown(() => store?.close())
  const lines = []
  const migrate = (more) => runMigrateStore({ config: file, ...more }, (line) => lines.push(line))
  return { place, file, database, address, definitions: [one, two, none], files, store, contents, migrate, lines }
}

const answers = async (store, definitions) =>
  Promise.all(definitions.map(async (each) => [await store.readList(each), await store.readApprovals(each)]))

claim('what files answer the database answers after the command of the page, and twice is as once', async (t) => {
  const { place, database, definitions, files, store, contents } = await kept(t)
  const [before, wanted] = [contents(), await answers(files, definitions)]
  const rows = () =>
    server.query(
      database,
      'select a.xmin::text, c.xmin::text as of_list, * from tool_router.approvals a full join tool_router.catalogues c using (identity) order by position',
    )
  const command = () => run([CLI, ...DOCUMENTED.split(' ')], { cwd: place })
  const first = await command()
  t.deepEqual([first.code, first.stderr], [0, ''])
  t.regex(
    first.stdout,
    /^one: list of 2 tools taken; definitions: 3 taken \(1 of them waits for an approval\), 0 already/m,
  )
  t.regex(first.stdout, /^two: no list in files; definitions: 1 taken, 0 already in the database$/m)
  t.regex(first.stdout, /^new: no list in files; definitions: 0 taken, 0 already in the database$/m)
  t.deepEqual(await answers(store, definitions), wanted)
  const once = await rows()
  const second = await command()
  t.is(second.code, 0)
  t.regex(second.stdout, /^one: list already in the database; definitions: 0 taken, 3 already in the database$/m)
  t.deepEqual([await rows(), contents()], [once, before])
  t.false([first, second].some(({ stdout }) => stdout.includes(PASSWORD)))
})

claim('what the database knows is never replaced, and what differs is named', async (t) => {
  const { definitions, store, migrate, lines } = await kept(t)
  const [one, two] = definitions
  await store.writeList(one, { tools: [{ name: 'newer' }] })
  await keep(store, one, approvals({ a: 'is' }))
  await keep(store, two, approvals({ c: 'of the files' }, { c: 'newer' }))
  t.is(await migrate(), 0)
  t.deepEqual((await store.readList(one)).tools, [{ name: 'newer' }])
  t.deepEqual(await store.readApprovals(one), approvals({ a: 'is', [ODD]: ODD, b: 'b' }))
  t.deepEqual(await store.readApprovals(two), approvals({ c: 'of the files' }, { c: 'newer' }))
  t.deepEqual(lines.slice(0, 3), [
    'one: list already in the database; definitions: 2 taken, 1 already in the database',
    '  a: the database has accepted another definition, which stays',
    'two: no list in files; definitions: 0 taken, 1 already in the database',
  ])
})

claim('a database that is named by --to or cannot be reached is told without its password', async (t) => {
  const { address, definitions, files, store, migrate, lines, contents } = await kept(t, { store: undefined })
  const before = contents()
  for (const wrong of [address.replace(PASSWORD, 'hidden-one'), address.replace(/\d+\/\w+$/, '1/gone')]) {
    const { code, message } = await t.throwsAsync(migrate({ to: wrong }))
    t.is(code, 'ERR_STORE_UNAVAILABLE')
    t.regex(
      message,
      /^the database at postgres:\/\/owner@127\.0\.0\.1:\d+\/\w+ cannot be reached: .*the command can run again$/,
    )
    t.false([PASSWORD, 'hidden-one'].some((password) => message.includes(password)))
  }
  t.deepEqual(lines, [])
  t.is(await migrate({ to: address }), 0)
  t.deepEqual(await answers(store, definitions), await answers(files, definitions))
  t.false(lines.join().includes(PASSWORD))
  t.deepEqual(contents(), before)
})

claim('of a profile its servers are copied, and nothing of the others', async (t) => {
  const { file, definitions, files, store, migrate, lines } = await kept(t)
  const config = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...config, profiles: { some: { servers: ['two', 'new'] } } }))
  t.is(await migrate({ profile: 'some' }), 0)
  t.deepEqual(
    lines.slice(0, -1).map((line) => line.split(':')[0]),
    ['two', 'new'],
  )
  const [one, ...rest] = definitions
  t.is(await store.readList(one), undefined)
  t.deepEqual(await store.readApprovals(one), approvals({}))
  t.deepEqual(await answers(store, rest), await answers(files, rest))
  await t.throwsAsync(migrate({ profile: 'none' }), { code: 'ERR_INVALID_ARGUMENT', message: /^profile: / })
})

claim('a list or a definition that the database does not take is told, and the rest is copied', async (t) => {
  const { database, store, definitions, files, migrate, lines } = await kept(t)
  await store.readApprovals(definitions[0])
  const damaged = [
    ['none', null],
    ['odd', { hash: 'nul\0', description: 'd' }],
    ['c', seen('c')],
  ]
  await files.writeList(definitions[1], { tools: [{ name: 'c' }, null] })
  await keep(files, definitions[1], { accepted: new Map(damaged), changed: new Map() })
  await server.query(database, 'alter table tool_router.catalogues add check (false)')
  t.is(await migrate(), 1)
  t.regex(
    lines[0],
    /^one: list not copied: the database at .* does not do what it was asked: 23514; definitions: 3 taken/,
  )
  t.regex(lines[1], /^two: list not copied: .*; definitions: 1 taken, 0 already in the database, 2 not copied: /)
  t.deepEqual(await store.readApprovals(definitions[1]), approvals({ c: 'c' }))
  t.deepEqual(await store.readApprovals(definitions[0]), await files.readApprovals(definitions[0]))
})

test('without the address of a database nothing is copied, and the field is named', async (t) => {
  const { migrate, lines } = await kept(t, { store: undefined })
  const none = await t.throwsAsync(migrate(), { code: 'ERR_INVALID_ARGUMENT' })
  t.regex(
    none.message,
    /^config\.gateway\.store: expected the database to copy into, .*--to postgres:.*, got undefined$/,
  )
  const wrong = await t.throwsAsync(migrate({ to: 'mysql://me:hidden-one@db/name' }), { code: 'ERR_INVALID_ARGUMENT' })
  t.regex(wrong.message, /^--to: expected the address of a database/)
  t.false(wrong.message.includes('hidden-one'))
  t.deepEqual(lines, [])
})
