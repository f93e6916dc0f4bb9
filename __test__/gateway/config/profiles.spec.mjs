import test from 'ava'

import { readConfig } from '../../../packages/gateway/config/read.mjs'

const entry = { command: 'x' }
const CONFIG = {
  mcpServers: { a: { ...entry, disabledTools: ['t'] }, b: { ...entry, onlyAllow: ['u', 'v'] }, c: { command: '' } },
  modules: { both: { servers: ['a', 'b'] }, other: { servers: ['b'] } },
  modes: { m: { description: 'x', tools: ['a/t', 'b/u'] }, n: { description: 'y', servers: ['b'] } },
  profiles: {
    whole: { servers: ['a'], disabledTools: ['a/w'], gateway: { maxTools: 9 } },
    single: { tools: ['b/u', 'b/z', 'a/t', 'a/s'] },
    nothing: { tools: ['a/t'] },
    wrong: { servers: ['nobody'] },
    misspelt: { server: ['a'] },
  },
  gateway: { maxTools: 20, searchK: 3 },
}
const read = (profile) => readConfig(CONFIG, { profile })

test('a profile has its servers, groups and modes, and its settings', (t) => {
  const { servers, modules, modes, settings, leftOut } = read('whole')
  t.deepEqual([...servers.keys()], ['a'])
  t.deepEqual(servers.get('a').disabledTools, ['t'])
  t.deepEqual(servers.get('a').parts, [{ off: ['w'] }])
  t.deepEqual([...modules.keys()], ['both'])
  t.deepEqual(modules.get('both').servers, ['a'])
  t.deepEqual([...modes.keys()], ['m'])
  t.deepEqual(modes.get('m').tools, [{ serverName: 'a', toolName: 't' }])
  t.deepEqual([settings.maxTools, settings.searchK], [9, 3])
  t.deepEqual(leftOut, [], 'nothing of another server is told')
})

test('single tools are on where the server has them on too', (t) => {
  const { servers } = read('single')
  t.deepEqual(servers.get('b').onlyAllow, ['u', 'v'])
  t.deepEqual(servers.get('b').parts, [{ off: [], only: ['u', 'z'] }])
  t.deepEqual(servers.get('a').parts, [{ off: [], only: ['t', 's'] }])
  t.deepEqual([...read('nothing').servers.keys()], [], 'a list of nothing is not a list of everything')
})

test('a profile that is unknown or wrong ends the start, and without one all is served', (t) => {
  t.throws(() => read('nobody'), {
    message: /profile: expected a profile of the configuration \(whole, single, .*got "nobody"/,
  })
  t.throws(() => read('wrong'), { message: /config\.profiles\["wrong"\]\.servers/ })
  t.throws(() => read('misspelt'), { message: /only the keys/ })
  t.throws(() => readConfig({ mcpServers: {} }, { profile: 'x' }), { message: /it has none/ })
  t.deepEqual([...readConfig(CONFIG).servers.keys()], ['a', 'b'])
})
