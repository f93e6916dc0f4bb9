// Provider names: valid, unique, and independent of the order in which servers connect.
import test from 'ava'
import fc from 'fast-check'
import { definitions, fresh, router } from '../helpers/router.mjs'
import { servers } from '../helpers/catalogue.mjs'

/** What the letters of other scripts in these tests are in Latin ones. */
const LATIN = { é: 'e', 日: 'Ri' }

/** design.md, section 3, as plainly as it can be written. */
const part = (text) => {
  const kept = text
    .replace(/[é日]/g, (letter) => LATIN[letter])
    .replace(/\p{White_Space}+/gu, '_')
    .replace(/[^A-Za-z0-9_-]/g, '')
    .replace(/-+/g, '-')
  if (kept === '') return '_unnamed'
  return /^[A-Za-z_]/.test(kept) ? kept : `_${kept}`
}

const isClean = (text) => part(text) === text
const providerName = (server, tool) => `mcp--${part(server)}--${part(tool)}`.slice(0, 64)

const NAMES = [
  ['my  server', 'a \t b', 'mcp--my_server--a_b'],
  ['a.b/c', 'PDF&URLTool', 'mcp--abc--PDFURLTool'],
  ['3d', '2fa', 'mcp--_3d--_2fa'],
  ['🚀', '!', 'mcp--_unnamed--_unnamed'],
  ['s', 't'.repeat(80), `mcp--s--${'t'.repeat(56)}`],
]

for (const [server, tool, name] of NAMES) {
  test.serial(
    `the provider name of ${JSON.stringify(tool.slice(0, 20))} of ${JSON.stringify(server)} begins with ${name}`,
    async (t) => {
      await fresh([{ name: server, tools: [{ name: tool }] }])
      t.is(providerName(server, tool), name)
      const [{ name: given }] = await definitions()
      // What needed cleaning has a suffix: the clean form may be somebody else's own name.
      if (isClean(server) && isClean(tool)) t.is(given, name)
      else t.regex(given.slice(name.length), /^_[0-9a-f]{8}$/)
      t.true(given.startsWith(name))
      t.deepEqual(router.resolveTool(given), { serverName: server, toolName: tool })
    },
  )
}

test.serial(
  'every provider name is valid, unique and resolves, and is plain where no other tool or server wants it',
  async (t) => {
    const word = fc
      .string({
        unit: fc.constantFrom('a', 'B', '7', '-', '_', ' ', '.', '/', 'é', '日', '🚀', 'long'.repeat(8)),
        minLength: 1,
        maxLength: 8,
      })
      .filter((text) => text.trim() !== '')
    const server = fc.record({
      name: word,
      tools: fc.uniqueArray(
        word.map((name) => ({ name })),
        { selector: ({ name }) => name, minLength: 1, maxLength: 8 },
      ),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(server, { selector: ({ name }) => name, minLength: 1, maxLength: 5 }),
        async (list) => {
          const { refused } = await fresh(list)
          t.deepEqual(refused, [])
          const { tools } = await router.rank('', { topK: 1000 })
          const fold = (name) => name.replaceAll('-', '_')
          t.is(new Set(tools.map(({ name }) => fold(name))).size, tools.length)
          const safe = (text) => fold(providerName(text, 'x'))
          const others = (of, key) =>
            tools.filter((other) => other.serverName !== of.serverName && key(other) === key(of))
          for (const tool of tools) {
            const { serverName, toolName, name } = tool
            t.regex(name, /^mcp--[A-Za-z0-9_-]{1,59}$/)
            for (const written of [name, fold(name), name.replaceAll('_', '-')])
              t.deepEqual(router.resolveTool(written), { serverName, toolName }, written)
            const base = ({ serverName, toolName }) => fold(providerName(serverName, toolName))
            const contested =
              others(tool, base).length > 0 || others(tool, ({ serverName }) => safe(serverName)).length > 0
            const siblings = tools.filter((other) => other.serverName === serverName && base(other) === base(tool))
            // A base name may be taken by another tool's suffixed name only by a miracle of the hash. Of twins each has a
            // suffix, and so has whoever needed cleaning.
            const isAlone = siblings.length === 1 && isClean(serverName) && isClean(toolName)
            if (!contested) t.is(fold(name) === base(tool), isAlone, name)
            // A server whose name another one's safe form takes on never loses its tools' names to it.
            const exact = (text) => providerName(text, 'x') === `mcp--${text}--x`
            if (contested && !exact(serverName)) t.not(fold(name), base(tool), name)
          }
        },
      ),
      { numRuns: 60 },
    )
  },
)

for (const [what, one, other] of [
  ['punctuation', 'user.get', 'user:get'],
  ['hyphens', 'a-b', 'a_b'],
  ['what stands behind 64 characters', `${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`],
]) {
  test.serial(
    `two tools of a server that differ by ${what} have names of their own, whatever their order`,
    async (t) => {
      const named = async (...tools) => {
        await fresh([
          { name: 's', tools: tools.map((name) => ({ name })) },
          { name: 'another', tools: [{ name: 'x' }] },
        ])
        const list = await router.listTools()
        return Object.fromEntries(list.map(({ toolName, name }) => [toolName, name]))
      }
      const there = await named(one, other)
      const back = await named(other, one)
      t.is(there[one], back[one])
      t.is(there[other], back[other])
      t.true([there[one], there[other]].every((name) => name.length <= 64))
      for (const [alone, twin] of [
        [one, other],
        [other, one],
      ]) {
        const name = (await named(alone))[alone]
        t.not(there[twin], name, 'what one is called alone is nobody else’s beside it')
        if (isClean(alone)) t.not(there[alone], name)
      }
    },
  )
}

test.serial('a name of another script can be read, resolves, and takes nobody’s', async (t) => {
  await fresh([
    { name: 'кухня', tools: [{ name: '读取文件' }, { name: '删除文件' }, { name: 'tâche_créer' }] },
    { name: 'kuhnya', tools: [{ name: 'DuQuWenJian' }] },
  ])
  const list = await router.listTools()
  const nameOf = (tool) => list.find(({ toolName }) => toolName === tool).name
  t.regex(nameOf('读取文件'), /^mcp--\w+--DuQuWenJian_[0-9a-f]{8}$/)
  t.regex(nameOf('tâche_créer'), /^mcp--\w+--tache_creer_[0-9a-f]{8}$/)
  t.is(nameOf('DuQuWenJian'), 'mcp--kuhnya--DuQuWenJian')
  for (const { serverName, toolName, name } of list) t.deepEqual(router.resolveTool(name), { serverName, toolName })
})

test.serial('a project server comes before a global one in a collision', async (t) => {
  await fresh([
    { name: 'a b', tools: [{ name: 'x' }] },
    { name: 'a_b', source: 'project', tools: [{ name: 'x' }] },
  ])
  t.deepEqual(router.resolveTool('mcp--a_b--x'), { serverName: 'a_b', toolName: 'x' })
})

test.serial('a name that no tool has resolves to null', async (t) => {
  await fresh(servers())
  for (const name of ['', 'mcp', 'mcp--codehub--nothing', 'create_issue', 'mcp--codehub', '__proto__', '\0', '🚀'])
    t.is(router.resolveTool(name), null, name)
})
