// Some hundreds of random operations on real servers, from seeds; the benchmark runs ten thousand of each era.
import test from 'ava'

import { generator, runOperations } from '../../research/measure/gateway/gateway-operations.mjs'

const SERVERS = ['filesystem', 'memory', 'everything', 'sequential-thinking']

test.serial('the same seed gives the same numbers', (t) => {
  const [one, two] = [generator(7), generator(7)]
  const numbers = Array.from({ length: 100 }, () => one(1000))
  t.deepEqual(
    Array.from({ length: 100 }, () => two(1000)),
    numbers,
  )
  t.true(new Set(numbers).size > 50)
})

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
