// How often the gateway asks by itself: pauses that grow, an end for what repeating does not mend. The clock is the test's.
import { mock } from 'node:test'

import test from 'ava'

import { MEANINGS } from '../../../packages/gateway/downstream/meaning.mjs'
import { Waiting } from '../../../packages/gateway/downstream/waiting.mjs'
import { Pauses } from '../../../packages/gateway/reach/pauses.mjs'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Requests that one try of a remote server may cost: each era, and the transport before Streamable HTTP. */
const COST = { soon: 1, seldom: 3, change: 3 }

/** When a server is tried within a day that answers so each time. */
function aDay(t, meaning) {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.teardown(() => mock.timers.reset())
  const waiting = new Waiting()
  const at = []
  const attempt = () => {
    at.push(Date.now())
    waiting.begin(meaning, {}, attempt)
  }
  attempt()
  for (let ms = 0; ms < DAY_MS; ms += 500) mock.timers.tick(500)
  mock.timers.reset()
  return at
}

for (const { kind, again } of MEANINGS.filter(({ again }) => again in COST))
  test.serial(`a server that does not start with ${kind} is asked at most 200 times a day`, (t) => {
    const at = aDay(t, { again })
    t.true(at.length * COST[again] <= 200, `${at.length} tries`)
    if (again === 'change') t.is(at.length, 1)
    else t.true(at.length > 40, 'it comes back without anybody')
    t.true(at.every((ms, index) => index === 0 || ms - at[index - 1] >= 1_000))
  })

test.serial('Retry-After is obeyed, by who asks as well', (t) => {
  const at = aDay(t, { again: 'seldom', retryAfterMs: 3_600_000 })
  t.true(at.length <= 24)
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.teardown(() => mock.timers.reset())
  const waiting = new Waiting()
  waiting.begin({ again: 'seldom', retryAfterMs: 3_600_000 }, {}, undefined)
  mock.timers.tick(MINUTE_MS)
  t.is(waiting.secondsLeft, 3_540)
})

for (const again of ['soon', 'seldom', 'change'])
  test.serial(`who asks for a server that waits with ${again} has it tried, once a minute at most`, (t) => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'] })
    t.teardown(() => mock.timers.reset())
    const waiting = new Waiting()
    for (let count = 0; count < 15; count++) waiting.begin({ again }, {}, undefined)
    t.is(waiting.secondsLeft, 60)
    mock.timers.tick(MINUTE_MS)
    t.is(waiting.secondsLeft, 0)
  })

test('no wish makes a pause shorter than a second, or longer than a day', (t) => {
  for (const wish of [0, 1, -5, Number.NaN, undefined]) t.is(new Pauses().next(wish), 1_000)
  t.is(new Pauses().next(99_999_999_999), DAY_MS)
  const pauses = new Pauses()
  t.deepEqual(
    [1, 2, 3, 4].map(() => pauses.next(0)),
    [1_000, 2_000, 4_000, 8_000],
  )
  pauses.reset()
  t.is(pauses.next(), 1_000)
})
