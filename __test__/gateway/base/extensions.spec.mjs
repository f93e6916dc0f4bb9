// Extensions of the protocol through the gateway: what clients and servers declare, skills with their files checked, and
// widgets that only clients get that can show them. Of both eras, over stdio and over HTTP.
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import test from 'ava'

import { Approvals, isSkillName } from '../../../packages/gateway/store/approvals.mjs'
import { declaredExtensions, passedCapabilities, passedExtensions } from '../../../packages/gateway/base/extensions.mjs'
import { FileStore } from '../../../packages/gateway/store/files.mjs'
import * as eras from '../../helpers/eras.mjs'
import { folder, gateway, unique, until } from '../../helpers/gateway.mjs'

const { skilled } = eras
const SKILLS = 'io.modelcontextprotocol/skills'
const UI = 'io.modelcontextprotocol/ui'
const SHOWS = { extensions: { [UI]: { mimeTypes: ['text/html;profile=mcp-app'] }, 'com.example/own': { level: 3 } } }
const uriOf = (name, file = 'SKILL.md') => `skill://one/${name}/${file}`
const BADS = [
  ['wrong-digest', 'digest'],
  ['wrong-size', 'size'],
  ['wrong-words', 'frontmatter'],
]

async function open(t, servers, more = {}) {
  const lines = []
  const mcpServers = Object.fromEntries(Object.entries(servers).map(([name, entry]) => [unique(name), entry]))
  const opened = await gateway(t, { mcpServers, ...more }, { log: (line) => lines.push(line) })
  return { opened, lines, names: Object.keys(mcpServers) }
}

/** What changes stays on. */
const TELLING = { gateway: { changedTools: 'tell' } }

/** What the SDK's own clients of the older era do not type is still asked for. */
const ANY = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) },
  safeParse: (data) => ({ success: true, data }),
  parse: (data) => data,
}
const asks =
  (client) =>
  (method, params = {}) =>
    client.request({ method, params }, ANY)

for (const [how, entry] of [
  ['of the current era over stdio', async () => skilled({}, '--modern')],
  ['of the current era over HTTP', (t) => eras.startedOverHttp(t, 'skills', '--modern')],
  ['of the older era over stdio', async () => skilled({ protocolEra: 'legacy' })],
  [
    'of the older era over HTTP',
    async (t) => ({ ...(await eras.startedOverHttp(t, 'skills')), protocolEra: 'legacy' }),
  ],
]) {
  for (const [era, connect] of [
    ['modern', (t, opened) => eras.inProcess(t, opened)],
    ['modern HTTP', async (t, opened) => eras.overHttp(t, await opened.listen())],
  ])
    test(`a ${era} client lists, gets and reads the skills of a server ${how}`, async (t) => {
      const { opened } = await open(t, { server: await entry(t) })
      const client = await connect(t, opened)
      const skills = new SkillsClient(client)
      t.true(skills.directoryRead)
      const { skills: found, invalid, ttlMs, cacheScope } = await skills.list()
      t.deepEqual(invalid, [])
      const names = found.map(({ frontmatter }) => frontmatter.name)
      t.deepEqual(names, ['review', 'picture', 'wrong-digest', 'wrong-size', 'wrong-words', 'living'])
      t.deepEqual([ttlMs, cacheScope], [7_000, 'private'])
      t.is(found[0]._meta['com.example/kept'], 'review')
      const guide = await skills.read(found[0], 'references/GUIDE & more.md')
      t.is(guide.text, 'Größe zählt in Bytes.\n')
      t.deepEqual([...(await skills.read(found[1], 'a.png')).bytes], [0, 255, 128, 7])
      t.regex((await skills.read(found[5], 'anything.md')).text, /Not in a manifest/)
      const { skill } = await skills.get(uriOf('unlisted'))
      t.is((await skills.read(skill, 'more.md')).text, 'More.')
      const { resources } = await asks(client)('resources/directory/read', { uri: 'skill://one/review' })
      t.deepEqual(
        resources.map(({ name }) => name),
        ['SKILL.md', 'references/GUIDE & more.md'],
      )
    })

  test(`what fails a check of a server ${how} is refused, with both digests and what to do`, async (t) => {
    const { opened, names, lines } = await open(t, { server: await entry(t) })
    const older = await eras.legacyInProcess(t, opened)
    for (const [name, reason] of BADS) {
      const uri = uriOf(name)
      const { code, message, data } = await t.throwsAsync(older.readResource({ uri }))
      t.is(code, -32603)
      t.like(data, { code: 'ERR_SKILL_REFUSED', server: names[0], uri, reason })
      for (const part of [uri, names[0], data.expected, data.got, 'skills/get']) t.true(message.includes(part), part)
      if (reason !== 'frontmatter')
        for (const each of [data.expected, data.got]) t.regex(each, /^\d+ bytes of sha256:[\da-f]{64}$/)
      t.false(message.includes('# '), 'nothing of its content')
    }
    t.true(lines.includes(`server ${names[0]}: a file of a skill was refused: digest`))
    t.false(lines.some((line) => line.includes('skill://')))
  })
}

test('clients of the older era see files of skills as resources, and their skills too', async (t) => {
  const { opened } = await open(t, { server: skilled() })
  for (const client of [await eras.legacyInProcess(t, opened), await eras.legacyOverHttp(t, await opened.listen())]) {
    t.deepEqual(client.getServerCapabilities().extensions[SKILLS], { directoryRead: true })
    const { resources } = await client.listResources()
    t.true(resources.some(({ uri }) => uri === uriOf('review')))
    t.regex((await client.readResource({ uri: uriOf('review') })).contents[0].text, /# review/)
    const { skills } = await asks(client)('skills/list')
    t.is(skills[0].uri, uriOf('review'))
    const { skill } = await asks(client)('skills/get', { uri: uriOf('picture') })
    t.is(skill.frontmatter.name, 'picture')
  }
})

test('another spelling of an address is the same file', async (t) => {
  const { opened } = await open(t, { server: skilled() })
  const client = await eras.inProcess(t, opened)
  for (const uri of [uriOf('wrong-digest').replace('SKILL', 'SKIL%4C'), `${uriOf('wrong-digest')}#top`])
    await t.throwsAsync(client.readResource({ uri }), { code: -32603, message: /^ERR_SKILL_REFUSED: .*digest/ })
})

test('entries that cannot be used are left out, and the log counts them without what they say', async (t) => {
  const { opened, names, lines } = await open(t, { server: skilled() })
  const client = await eras.inProcess(t, opened)
  await asks(client)('skills/list')
  await asks(client)('skills/list')
  t.deepEqual(
    lines.filter((line) => line.includes('skills are left out')),
    [`server ${names[0]}: skills are left out: 3 cannot be used`],
  )
  const kept = await open(t, { server: skilled() }, { gateway: { hiddenCharacters: 'keep' } })
  const { skills } = await asks(await eras.inProcess(t, kept.opened))('skills/list')
  t.true(
    skills.some(({ uri }) => uri === uriOf('unseen')),
    'hidden characters are kept where the settings say so',
  )
})

test('a skill that has changed since it was listed is read by its new manifest', async (t) => {
  const { opened, names } = await open(t, { server: skilled() }, TELLING)
  const client = await eras.legacyInProcess(t, opened)
  await asks(client)('skills/list')
  await client.ask('mcp_load', { query: 'change_review' })
  await client.use(`mcp--${names[0]}--change_review`)
  const { contents } = await client.readResource({ uri: uriOf('review', 'references/GUIDE & more.md') })
  t.regex(contents[0].text, /Changed/)
})

const hidden = { code: -32603, message: /^ERR_SKILL_REFUSED: .*hidden-characters/ }
const warned = (lines, name) => lines.filter((line) => line.startsWith(`server ${name}: `) && line.includes('(skill '))

test('what the shield finds in skills is told like what it finds in tools, once', async (t) => {
  const { opened, names, lines } = await open(t, { server: skilled({}, '--hostile') })
  const client = await eras.inProcess(t, opened)
  const { skills } = await asks(client)('skills/list')
  await asks(client)('skills/list')
  t.true(
    skills.some(({ uri }) => uri === uriOf('orders')),
    'it is told, and not left out',
  )
  t.deepEqual(warned(lines, names[0]), [`server ${names[0]}: instructs (skill orders)`])
  lines.length = 0
  for (const _ of [1, 2]) await client.readResource({ uri: uriOf('hides', 'orders.md') })
  t.deepEqual(warned(lines, names[0]), [`server ${names[0]}: instructs (skill hides)`])
})

test('a file of a skill that hides text is refused, by the setting for tools', async (t) => {
  for (const [hiddenCharacters, refusedFiles] of [
    ['strip', ['tags.md']],
    ['refuse', ['tags.md', 'soft.md']],
    ['keep', []],
  ]) {
    const { opened, names, lines } = await open(
      t,
      { server: skilled({}, '--hostile') },
      { gateway: { hiddenCharacters } },
    )
    const client = await eras.inProcess(t, opened)
    for (const file of ['tags.md', 'soft.md']) {
      const read = client.readResource({ uri: uriOf('hides', file) })
      if (refusedFiles.includes(file)) await t.throwsAsync(read, hidden, `${hiddenCharacters} ${file}`)
      else t.true((await read).contents[0].text.length > 0)
    }
    t.true(
      warned(lines, names[0]).some((line) => line.includes('hidden-characters (skill hides)')),
      'in any case it is told',
    )
  }
})

test('a skill that says something else than before is told, or off until somebody approves', async (t) => {
  const change = async (opened, name) => {
    const client = await eras.legacyInProcess(t, opened)
    await asks(client)('skills/list')
    await client.use(`mcp--${name}--change_review`)
    const { skills } = await asks(client)('skills/list')
    return { client, isListed: skills.some(({ uri }) => uri === uriOf('review')) }
  }
  const told = await open(t, { server: skilled() }, TELLING)
  t.true((await change(told.opened, told.names[0])).isListed)
  t.true(told.lines.includes(`server ${told.names[0]}: definition-changed (skill review)`))

  const dir = folder(t)
  const held = await open(t, { server: skilled() }, { gateway: { dir } })
  const [name] = held.names
  const { client, isListed } = await change(held.opened, name)
  t.false(isListed)
  t.true(
    held.lines.includes(
      `server ${name}: 1 skills have changed and are off until you run npx @zoo-code/tool-router-gateway approve: skill review`,
    ),
  )
  const off = {
    code: -32603,
    message: new RegExp(`changed.*npx @zoo-code/tool-router-gateway approve ${name}/skills/skill://one/review`),
  }
  await t.throwsAsync(asks(client)('skills/get', { uri: uriOf('review') }), off)
  await t.throwsAsync(client.readResource({ uri: uriOf('review') }), off)
  t.regex((await client.readResource({ uri: uriOf('picture') })).contents[0].text, /# picture/)
  const approvals = new Approvals(held.opened.store)
  const { definition } = held.opened.catalogue.entries.get(name)
  t.deepEqual(await approvals.approve(definition, `skills/${uriOf('review')}`), [`skills/${uriOf('review')}`])
  t.is((await asks(client)('skills/get', { uri: uriOf('review') })).skill.uri, uriOf('review'))
  const { skills } = await asks(client)('skills/list')
  t.true(skills.some(({ uri }) => uri === uriOf('review')))
})

test('tools and skills of one server wait for approvals beside each other', async (t) => {
  const approvals = new Approvals(new FileStore({ approvalDir: folder(t) }))
  const definition = { name: 'one', transport: 'stdio', command: 'one', args: [], env: new Map() }
  const [tool, skill] = ['a', `skills/${uriOf('review')}`].map((name) => (description) => [{ name, description }])
  await approvals.changed(definition, tool('is'))
  await approvals.changed(definition, skill('is'), isSkillName)
  t.deepEqual([...(await approvals.changed(definition, tool('was')))], ['a'])
  t.deepEqual([...(await approvals.changed(definition, skill('was'), isSkillName))], [`skills/${uriOf('review')}`])
  t.deepEqual([...(await approvals.changed(definition, tool('is')))], [])
  t.deepEqual(
    (await approvals.waiting(definition)).map((each) => each.tool),
    [`skills/${uriOf('review')}`],
  )
})

test('of two servers with one skill the first has it; each has its own besides', async (t) => {
  const { opened, names, lines } = await open(t, {
    first: skilled({}, '--shared'),
    second: skilled({}, '--shared', '--name', 'two'),
  })
  const client = await eras.inProcess(t, opened)
  const { skills } = await asks(client)('skills/list')
  t.deepEqual(
    skills.filter(({ uri }) => uri.startsWith('skill://shared')).map((each) => each.frontmatter.description),
    ['Of one.'],
  )
  t.deepEqual([...new Set(skills.map(({ uri }) => uri.split('/')[2]))], ['one', 'shared', 'two'])
  t.true(
    lines.includes(`server ${names[1]}: skills are left out: 3 cannot be used, 1 have addresses of another server`),
  )
  t.regex((await client.readResource({ uri: 'skill://shared/common/SKILL.md' })).contents[0].text, /Of one/)
  t.is((await asks(client)('skills/get', { uri: 'skill://two/unlisted/SKILL.md' })).skill.frontmatter.name, 'unlisted')
  const unknown = { uri: 'skill://three/x/SKILL.md' }
  await t.throwsAsync(asks(client)('skills/get', unknown), {
    code: -32602,
    message: /no server that runs has the skill/,
  })
})

test('a server that is off has no skills, and one that ends takes them along', async (t) => {
  const { opened, names } = await open(t, {
    on: skilled({}, '--name', 'two'),
    off: skilled({ disabled: true }),
  })
  const client = await eras.inProcess(t, opened)
  const { skills } = await asks(client)('skills/list')
  t.true(skills.length > 0 && skills.every(({ uri }) => uri.startsWith('skill://two/')))
  await opened.removeServer(names[0])
  t.deepEqual((await asks(client)('skills/list')).skills, [])
  await t.throwsAsync(client.readResource({ uri: 'skill://two/review/SKILL.md' }), { code: -32602 })
})

test('what clients are told: every extension, of shared ones what all servers have; tasks are not passed', async (t) => {
  const { opened } = await open(t, {
    first: skilled(),
    second: skilled({}, '--name', 'two', '--no-directories'),
  })
  const expected = { [SKILLS]: {}, 'com.example/notes': { depth: 2, kinds: ['b'] } }
  const modern = await eras.inProcess(t, opened)
  t.deepEqual(modern.getServerCapabilities().extensions, expected)
  t.deepEqual((await eras.overHttp(t, await opened.listen())).getServerCapabilities().extensions, expected)
  t.deepEqual((await eras.legacyInProcess(t, opened)).getServerCapabilities().extensions, expected)
  const { code } = await t.throwsAsync(asks(modern)('com.example/notes/list'))
  t.is(code, -32601, 'methods that the gateway does not know are not passed on')
  await t.throwsAsync(asks(modern)('resources/directory/read', { uri: 'skill://two/review' }), { code: -32602 })
})

test('a gateway that knows of no extension yet declares skills, as it does resources', async (t) => {
  const { opened } = await open(t, {})
  const client = await eras.inProcess(t, opened)
  t.deepEqual(client.getServerCapabilities().extensions, { [SKILLS]: {} })
  t.deepEqual((await asks(client)('skills/list')).skills, [])
})

for (const [era, more, args] of [
  ['the current', {}, ['--modern']],
  ['the older', { protocolEra: 'legacy' }, []],
])
  test(`over stdio a server of ${era} era knows the extensions of its client exactly, and offers its widget by them`, async (t) => {
    for (const [capabilities, expected] of [
      [SHOWS, SHOWS.extensions],
      [{}, undefined],
    ]) {
      const config = { mcpServers: { server: { ...skilled(more, ...args), alwaysLoad: true } } }
      const client = await eras.overStdio(t, config, { capabilities })
      const { tools } = await client.listTools()
      const told = JSON.parse(await client.said('mcp--server--tell_client'))
      t.deepEqual(told.extensions, expected)
      const chart = tools.find(({ name }) => name === 'mcp--server--show_chart')
      t.deepEqual(chart?._meta.ui, expected && { resourceUri: 'ui://charts/chart.html' })
    }
  })

test('a server that many clients share offers its widgets; of the current era it is told about each client in its calls', async (t) => {
  const { opened, names } = await open(t, { server: { ...skilled({}, '--modern'), alwaysLoad: true } })
  const endpoint = await opened.listen()
  const said = async (options) => {
    const client = await eras.overHttp(t, endpoint, options)
    const { tools } = await client.listTools()
    t.true(tools.some(({ _meta }) => _meta?.ui?.resourceUri === 'ui://charts/chart.html'))
    t.is((await client.readResource({ uri: 'ui://charts/chart.html' })).contents[0].text, '<p>chart</p>')
    return JSON.parse(await client.said(`mcp--${names[0]}--tell_client`)).extensions
  }
  t.deepEqual(await said({ capabilities: SHOWS }), SHOWS.extensions)
  t.is(await said({ capabilities: {} }), undefined)
  const older = await eras.legacyOverHttp(t, endpoint, { capabilities: SHOWS })
  t.deepEqual(JSON.parse(await older.said(`mcp--${names[0]}--tell_client`)).extensions, SHOWS.extensions)
})

test('what a server declared last is told before it has started again', async (t) => {
  const dir = folder(t)
  const name = unique('kept')
  const config = { mcpServers: { [name]: skilled() }, gateway: { dir } }
  const first = await gateway(t, config, { keepsLists: true })
  await until(t, () => first.servers[0].state === 'ready', 'it was asked')
  await first.close()
  const again = { ...config, mcpServers: { [name]: { ...skilled(), lazy: true } } }
  const second = await gateway(t, again, { ready: false, keepsLists: true })
  const client = await eras.legacyInProcess(t, second)
  t.is(second.servers[0].state, 'idle')
  t.deepEqual(client.getServerCapabilities().extensions[SKILLS], { directoryRead: true })
})

test('extensions that are declared are bounded in number, name and size', (t) => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`com.example/${at}`, {}]))
  t.is(Object.keys(passedExtensions(many)).length, 32)
  t.deepEqual(
    passedExtensions({ [`com.example/${'x'.repeat(300)}`]: {}, 'a/b': { c: 'x'.repeat(20_000) }, 'a/c': {} }),
    {
      'a/c': {},
    },
  )
  for (const nothing of [undefined, null, [], 'x', { a: null }, { a: [] }, { 'io.modelcontextprotocol/tasks': {} }])
    t.is(passedExtensions(nothing), undefined)
  t.deepEqual(passedCapabilities({ roots: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }), { roots: {} })
  const odd = passedExtensions(JSON.parse('{"__proto__":{"a":1}}'))
  t.deepEqual(Object.keys(odd), ['__proto__'])
  t.is(Object.getPrototypeOf(declaredExtensions([odd])), Object.prototype)
})

test('of extensions that several servers declare, settings that differ are not promised', (t) => {
  const settings = (one, other) => declaredExtensions([{ x: one }, undefined, { x: other }]).x
  t.deepEqual(
    settings({ a: true, b: { c: 1, d: 2 }, e: [1, { f: 2 }] }, { a: false, b: { c: 1, d: 3 }, e: [{ f: 2 }] }),
    {
      b: { c: 1 },
      e: [{ f: 2 }],
    },
  )
})
