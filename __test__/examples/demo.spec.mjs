// The demo's story over three servers of its own: every figure is a number, and one thing has one figure.

import test from 'ava'

import { play } from '../../examples/demo/story.mjs'
import { router } from '../helpers/router.mjs'
import { tempDir } from '../helpers/temp.mjs'

const id = { type: 'string', description: 'which of them is meant, as another tool has answered' }
const tools = (kind, names) =>
  names.map((name) => ({
    name,
    description: `${name.replaceAll('_', ' ')}, of the ${kind}`,
    inputSchema: { type: 'object', properties: { id }, required: ['id'] },
  }))
const kinds = (all) =>
  ['create', 'list', 'get', 'update', 'delete'].flatMap((verb) => all.map((one) => `${verb}_${one}`))
const SERVERS = {
  filesystem: tools('files', ['read_text_file', 'write_file', 'list_directory', 'move_file']),
  github: tools('repository', kinds(['issue', 'pull_request', 'branch', 'release', 'label', 'milestone'])),
  browser: tools('browser', [
    'take_screenshot',
    'navigate',
    'console_messages',
    ...kinds(['tab', 'cookie', 'bookmark', 'download']),
  ]),
}

test('every figure of the story is a number, and one thing has one figure', async (t) => {
  const folder = tempDir(t)
  t.teardown(async () => {
    for (const name of Object.keys(SERVERS)) await router.removeServer(name)
  })
  const client = { callTool: async () => ({ content: [{ type: 'text', text: '# Web' }] }) }
  const running = {
    folderOf: () => folder,
    startAll: async (names, onServer) => {
      for (const name of names) await onServer({ name, client, tools: SERVERS[name], elapsedMs: 1 })
    },
  }
  const noModel = async () => {
    throw Object.assign(new Error('no model in this test'), { code: 'ERR_MODEL' })
  }
  const withoutModel = new Proxy(router, {
    get(target, key) {
      const value = key === 'loadModel' ? noModel : target[key]
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  let text = ''
  const { write } = process.stdout
  process.stdout.write = (piece) => {
    text += piece
    return true
  }
  try {
    await play(withoutModel, running, Object.keys(SERVERS), { signal: new AbortController().signal })
  } finally {
    process.stdout.write = write
  }
  t.notRegex(text, /NaN|undefined|\[object/)
  const one = (pattern) => text.match(pattern)?.slice(1) ?? t.fail(`${pattern} in:\n${text}`)
  const [every] = one(/([\d,]+) tokens for 57 tools of 3 servers in every request/)
  t.deepEqual(one(/static loading ([\d,]+) tokens/), [every])
  t.deepEqual(one(/static loading +57 +- +- +([\d,]+) +-\n/), [every])
  const parts = /now ([\d,]+) \(([\d,]+) of definitions, ([\d,]+) of lines, ([\d,]+) of mcp_load\)/
  const [sent, ...sums] = one(parts).map((figure) => Number(figure.replaceAll(',', '')))
  t.is(sent, sums[0] + sums[1] + sums[2])
  const [whole, named, unsent, tokens, saved] = one(
    /at the start of the task +(\d+) +(\d+) +(\d+) +([\d,]+) +([\d.]+ %)/,
  )
  t.deepEqual(one(/sent whole (\d+) of 57 tools, ranked/), [whole])
  t.deepEqual(one(/named in a line each: (\d+)\n/), [named])
  t.deepEqual(one(/not sent: (\d+), /), [unsent])
  t.is(Number(tokens.replaceAll(',', '')), sent)
  t.deepEqual(one(/saved ([\d.]+ %) of the tokens/), [saved])
  t.regex(text.split('note the console')[1], /console_messages/, 'what the user asks for is shown')
})
