// What the gateway's page shows, and what it never does.
import test from 'ava'
import { settings } from '../../../packages/gateway/page/about.mjs'
import { difference } from '../../../packages/gateway/page/app/difference.mjs'
import { servers } from '../../../packages/gateway/page/servers.mjs'
import { shownText } from '../../../packages/gateway/base/shown-text.mjs'
import { tools } from '../../../packages/gateway/page/tools.mjs'
import { folder, gateway, inProcess, META_COUNT, odd, unique, until } from '../../helpers/gateway.mjs'
import { visiting } from '../../helpers/visits.mjs'

const READ = ['overview', 'servers', 'tools', 'sessions', 'calls', 'audit', 'approvals', 'settings']

test('no view has a secret of the configuration, and none has what calls said', async (t) => {
  const secrets = ['a1Secret7Argument9zzQ', 'b2Secret8Variable1xxR', 'c3Secret9Address2yyS', 'd4Secret0Header3wwT']
  const [argument, variable, address, header] = secrets
  const prints = 'console.error("no", process.argv.at(-1), process.env.SERVICE_TOKEN); process.exit(3)'
  const [works, fails, remote] = [unique('odd'), unique('bad'), unique('far')]
  const { opened, endpoint, browser } = await visiting(t, {
    mcpServers: {
      [works]: odd({ env: { SERVICE_TOKEN: variable } }, '--token', argument),
      [fails]: {
        command: process.execPath,
        args: ['-e', prints, '--', '--token', argument],
        env: { SERVICE_TOKEN: variable },
      },
      [remote]: { url: `http://127.0.0.1:1/${address}/mcp?key=${address}`, headers: { 'X-Api-Key': header } },
    },
  })
  const client = await inProcess(t, opened)
  await client.ask('mcp_load', { query: 'querymark echo' })
  await client.use(`mcp--${works}--echo`, { text: 'argumentmark' })
  await until(t, async () => (await browser.read('calls')).calls.length > 1, 'the calls are there')
  const answers = [...READ, `tool?server=${works}&tool=echo`].map(async (what) => browser.ask(`/ui/data/${what}`))
  for (const { status, text } of await Promise.all(answers)) {
    t.is(status, 200)
    for (const mark of [...secrets, endpoint.token, 'querymark', 'argumentmark'])
      t.false(text.includes(mark), `${mark} in ${text.slice(0, 200)}`)
  }
  let servers
  const failed = async () => {
    servers = (await browser.read('servers')).servers
    const { state, lines } = servers.find((server) => server.name === fails)
    return state === 'waiting' && /no \[hidden\] \[hidden\]/.test(lines.join())
  }
  // Between two tries it is starting.
  await until(t, failed, 'it has failed, and its last lines are there')
  t.regex(servers.find((server) => server.name === remote).reach, /^http:\/\/127\.0\.0\.1:1\/\[hidden\]\/mcp$/)
})

test('a server says its state, why it failed and what it costs, and is started again from the page', async (t) => {
  const { browser, name } = await visiting(t)
  await until(t, async () => (await browser.read('servers')).servers[0].tokens > 0, 'its tools are counted')
  const [before] = (await browser.read('servers')).servers
  t.deepEqual([before.name, before.state, before.toolCount], [name, 'ready', before.scopedCount])
  t.is((await browser.post('/ui/data/restart', { server: name })).status, 200)
  const isBack = async () => {
    const [{ state, pid }] = (await browser.read('servers')).servers
    return state === 'ready' && pid !== before.pid
  }
  await until(t, isBack, 'it runs again in another process')
})

test('the catalogue comes a page at a time, filtered, with costs, kinds and findings', async (t) => {
  const name = unique('odd')
  const { browser } = await visiting(t, { mcpServers: { [name]: odd({ disabledTools: ['echo'] }, '--odd') } })
  const whole = await browser.read('tools')
  t.is(whole.matched, whole.total)
  t.true(whole.tools.length <= whole.page)
  const found = await browser.read('tools?only=findings')
  t.true(found.matched > 0 && found.matched < whole.total)
  const [first] = found.tools
  const { findings, description } = await browser.read(`tool?server=${name}&tool=${first.tool}`)
  t.true(findings[0].text.length > 0)
  t.true(description.length > 0)
  t.deepEqual(
    (await browser.read('tools?text=echo')).tools.map(({ tool, off }) => [tool, off]),
    [['echo', 'the configuration switches it off']],
  )
  t.is((await browser.read(`tools?from=${whole.total}`)).tools.length, 0)
})

test('a search finds what mcp_load attaches, in its order, and attaches nothing', async (t) => {
  const { opened, browser } = await visiting(t)
  const client = await inProcess(t, opened)
  for (const query of ['echo a text back', 'slow report', 'book a flight to Oslo']) {
    const seen = (await browser.post('/ui/data/search', { query })).json()
    t.is((await client.names()).length, META_COUNT, query)
    const fresh = await inProcess(t, opened)
    const answer = await fresh.ask('mcp_load', { query })
    const signed = JSON.stringify(answer.loaded)
    const places = seen.loaded.map(({ name }) => signed.indexOf(name))
    t.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
      query,
    )
    t.false(places.includes(-1), query)
    t.is(seen.loaded.length, (await fresh.names()).length - META_COUNT, query)
    t.is(seen.nothingFits === undefined, answer.nothingFits === undefined, query)
    for (const { rank, score } of seen.loaded) t.true(rank > 0 && Number.isFinite(score))
  }
})

test('sessions say what is attached, by whom, and what it has cost; calls say when and how much', async (t) => {
  const { opened, browser, name } = await visiting(t)
  const client = await inProcess(t, opened)
  await client.ask('mcp_load', { query: 'echo' })
  await client.names()
  await client.use(`mcp--${name}--echo`, { value: 'hello' })
  await client.use('call_tool_read', { name: `mcp--${name}--reword`, arguments: {} })
  const counted = async () => (await browser.read('sessions')).sessions[0].bill.listTokens > 0
  await until(t, counted, 'the list is counted')
  const [session] = (await browser.read('sessions')).sessions
  t.is(session.client, 'test 0.0.0')
  t.true(session.attached.length > 0)
  t.true(session.attached.every(({ by, since }) => by === 'mcp_load' && since <= Date.now()))
  t.deepEqual([session.bill.answers, session.bill.calls], [1, 2])
  const { calls } = await browser.read('calls')
  t.deepEqual(
    calls.map(({ server, tool, outcome }) => [server, tool, outcome]),
    [
      [name, 'reword', 'refused'],
      [name, 'echo', 'ok'],
      ['', 'mcp_load', 'ok'],
    ],
  )
  t.deepEqual(
    calls.map(({ why }) => why),
    ['called by the meta tool of another kind', '', ''],
  )
  t.is(calls[1].sent, Buffer.byteLength('{"value":"hello"}'))
  t.true(calls[1].received > 0 && calls[1].ms > 0)
})

test('a changed tool is shown with both texts, and only the text that was read is approved', async (t) => {
  const { opened, browser, name } = await visiting(t, {
    gateway: { changedTools: 'withhold', dir: folder(t) },
  })
  const client = await inProcess(t, opened)
  const waiting = async () => (await browser.read('approvals')).waiting
  t.deepEqual(await waiting(), [])
  await client.use(`mcp--${name}--reword`)
  await until(t, async () => (await waiting()).length === 1, 'it waits')
  const [first] = await waiting()
  t.deepEqual([first.server, first.tool, first.isWhole, first.more], [name, 'tell_pid', true, 0])
  t.deepEqual(
    first.parts.map(({ at }) => at),
    ['description'],
  )
  t.not(first.parts[0].was, first.parts[0].is)
  await client.use(`mcp--${name}--reword`)
  await until(t, async () => (await waiting())[0].hash !== first.hash, 'it says yet something else')
  const approve = (hash) => browser.post('/ui/data/approve', { server: name, tool: 'tell_pid', hash })
  t.is((await approve(first.hash)).status, 409)
  t.is((await waiting()).length, 1)
  t.is((await approve((await waiting())[0].hash)).status, 200)
  await until(t, async () => (await waiting()).length === 0, 'it is approved')
  await until(t, () => opened.catalogue.entries.get(name).withheld.size === 0, 'it is back')
})

test('an open page is told what has changed', async (t) => {
  const { opened, browser, name } = await visiting(t)
  const stream = await browser.ask('/ui/data/events', { stream: true })
  t.is(stream.status, 200)
  t.is(stream.headers['content-type'], 'text/event-stream')
  const client = await inProcess(t, opened)
  await client.use('mcp_load', { query: 'echo' })
  await stream.next(/^data: .*"sessions"/m)
  await stream.next(/^data: .*"calls"/m)
  await browser.post('/ui/data/restart', { server: name })
  await stream.next(/^data: .*"servers"/m)
  stream.close()
  t.pass()
})

test('settings have their names, values and defaults', async (t) => {
  const { browser } = await visiting(t, { gateway: { searchK: 7, maxTools: 60 } })
  const { settings } = await browser.read('settings')
  const changed = settings
    .filter(({ isChanged }) => isChanged)
    .map(({ name, value, default: was }) => [name, value, was].join())
  for (const row of ['searchK,7,10', 'maxTools,60,128']) t.true(changed.includes(row), changed.join(' '))
})

test('rows stand in the order that is asked for, and what wants a person comes first where none is', async (t) => {
  const [here, gone] = [unique('a'), unique('z')]
  const opened = await gateway(t, { mcpServers: { [here]: odd(), [gone]: { command: 'no-such-program' } } })
  const shown = (view, sort) => view(opened, new URLSearchParams({ sort }))
  const names = (sort) => shown(servers, sort).servers.map(({ name }) => name)
  await until(t, () => names('')[0] === gone, 'the one that failed is first')
  for (const [sort, order] of [
    ['server', [here, gone]],
    ['-server', [gone, here]],
    ['-tools', [here, gone]],
    ['state', [gone, here]],
  ])
    t.deepEqual(names(sort), order, sort)
  const rows = (sort) => shown(tools, sort).tools
  await until(t, () => rows('').every(({ tokens }) => tokens !== null), 'tokens are counted')
  const byTokens = rows('').map(({ tokens }) => tokens)
  t.deepEqual(
    rows('tokens').map(({ tokens }) => tokens),
    byTokens.toSorted((one, two) => one - two),
  )
  t.deepEqual(
    rows('-tokens').map(({ tokens }) => tokens),
    byTokens.toSorted((one, two) => two - one),
  )
  const kinds = rows('-kind').map(({ kind }) => ['destructive', 'write', 'read'].indexOf(kind))
  t.deepEqual(kinds, kinds.toSorted())
  for (const sort of ['none', '-', 'constructor', '--tokens'])
    t.throws(() => shown(tools, sort), { message: /^sort: expected one of tool, server/ }, sort)
})

test('a setting that is an address is shown without its user, its password and what is behind ?', (t) => {
  const shown = settings({
    config: { settings: { store: 'postgres://me:s3cretword@db.example/tools?password=otherword' } },
  })
  t.is(shown.settings.find(({ name }) => name === 'store').value, 'postgres://db.example/tools')
})

test('what is invisible in a text of a server is made visible', (t) => {
  t.is(shownText('a\u200bb\u202ec\nd\te\u0007', 100), 'a⟨U+200B⟩b⟨U+202E⟩c\nd\te⟨U+7⟩')
  t.is(shownText('x'.repeat(50), 10), `${'x'.repeat(9)}…`)
  t.is(shownText(7, 10), '')
})

test('two texts differ in the words that they do not share', (t) => {
  const marked = (parts) => parts.map(({ text, isOther }) => (isOther ? `[${text}]` : text)).join('')
  const cases = [
    ['Lists open issues.', 'Lists all issues.', 'Lists [open] issues.', 'Lists [all] issues.'],
    ['a b c', 'a b c', 'a b c', 'a b c'],
    ['', 'new', '', '[new]'],
    ['a b', 'a x b y', 'a b', 'a [x ]b[ y]'],
  ]
  for (const [was, is, before, after] of cases) t.deepEqual(difference(was, is).map(marked), [before, after])
  const long = (word) => Array.from({ length: 5_000 }, (_, at) => `${word}${at}`).join(' ')
  for (const [was, is] of [
    [long('a'), long('b')],
    [long('a'), `${long('a')} more`],
  ])
    t.deepEqual(
      difference(was, is).map((parts) => parts.map(({ text }) => text).join('')),
      [was, is],
    )
})
