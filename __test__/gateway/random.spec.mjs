// Some hundreds of random operations on real servers, from seeds; the benchmark runs ten thousand of each era.
import test from 'ava'

import { runOperations } from '../../research/measure/gateway/gateway-operations.mjs'

const SERVERS = ['filesystem', 'memory', 'everything', 'sequential-thinking']

for (const [era, seed] of [
  ['legacy', 1],
  ['legacy', 2],
  ['modern', 3],
  ['modern', 4],
]) {
  test.serial(
    `among 300 random operations of ${era} clients (seed ${seed}) nothing is lost, wrong, untold or left behind`,
    async (t) => {
      t.timeout(240_000)
      const result = await runOperations({ operations: 300, seed, era, servers: SERVERS })
      t.true(result.calls > 50 && result.registrations > 50)
      t.deepEqual([result.lost, result.wrong, result.untold, result.left], [[], [], [], []])
      t.is(result.answered + result.unavailable, result.calls)
      t.is(result.registered, result.registrations)
      t.is(result.sessionsLeft, 0)
    },
  )
}
