// Two people of different groups over three replicas behind the proxy of a team, each with a client of both eras, while
// gateways are killed and the database is away: what each of them did is in the audit by name, and neither is told anything of
// what the other has.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { LegacyClient, ModernClient, outcomeOf } from '../../helpers/raw-clients.mjs'
import { Balancer } from '../../helpers/balancer.mjs'
import { folder, LONG_MS, until } from '../../helpers/gateway.mjs'
import { ownDatabase, server } from '../../helpers/keys.mjs'
import { MISSING } from '../../helpers/postgres.mjs'
import { replica } from '../../helpers/replica.mjs'

/** An outage takes long on a busy machine: it is played by `npm run test:postgres`. */
const outage = MISSING === undefined && process.env.TOOL_ROUTER_POSTGRES_NEEDED ? test.serial : test.serial.skip
const LEDGER = fileURLToPath(new URL('../../fixtures/ledger-server.mjs', import.meta.url))
const CALLS = 60
const EVERY_MS = 250
const KILLS = 4
const AWAY_MS = 6_000

/** A person with a group of one server, of which all texts have a mark. */
function personOf(place, name, mark) {
  const [ledger, wording] = ['ledger', 'wording'].map((kind) => path.join(place, `${kind}-${mark}`))
  writeFileSync(ledger, '')
  writeFileSync(wording, `Says what ${mark} says, for people of ${mark}.`)
  return {
    name,
    mark,
    entry: { command: process.execPath, args: [LEDGER, ledger, wording] },
    made: () => readFileSync(ledger, 'utf8').split('\n').filter(Boolean),
    outcomes: new Map(),
    /** Everything that the person was told. */
    told: [],
  }
}

/** Calls and questions of a person, one after the other, at any gateway that is up. */
async function works(person, other, proxy) {
  const { mark: group, token } = person
  const modern = new ModernClient(proxy, { token })
  const legacy = new LegacyClient(proxy, { token, servers: [group] })
  const asks = [
    ['mcp_load', { query: `what do people of ${other.mark} say` }],
    ['search_mcps', { query: `a server of ${other.mark}` }],
    ['describe_tool', { names: `mcp--${other.mark}--record` }],
    ['call_tool', { name: `mcp--${other.mark}--record`, arguments: { id: 'foreign' } }],
  ]
  for (let at = 0; at < CALLS; at++) {
    const id = `${person.name}-${at}`
    const answer = await (at % 2 === 0 ? modern : legacy).call(group, id)
    person.outcomes.set(id, outcomeOf(id, answer))
    person.told.push(answer.text)
    const [name, args] = asks[at % asks.length]
    // What a person asks is told again in an answer.
    const { result, text = '' } = await modern.ask(name, args)
    person.told.push(
      JSON.stringify(result ?? text).replaceAll(
        Object.values(args).find((each) => typeof each === 'string'),
        '',
      ),
    )
    await pause(EVERY_MS)
  }
  person.lost = legacy.lost
}

outage(
  'what two people do is audited by name through kills and an outage, and neither sees what the other has',
  async (t) => {
    t.timeout(4 * LONG_MS)
    const { store } = await ownDatabase()
    const place = folder(t)
    const people = [personOf(place, 'ann', 'mkalpha'), personOf(place, 'ben', 'mkbeta')]
    const of = (value) => Object.fromEntries(people.map(({ mark, entry }) => [mark, value(mark, entry)]))
    const config = { mcpServers: of((_, entry) => entry), profiles: of((mark) => ({ servers: [mark] })) }
    const start = async (name, port) => {
      const started = await replica(t, store, { ...config, gateway: { replica: name } }, { port })
      return { ...started, name, isUp: true }
    }
    const replicas = await Promise.all([1, 2, 3].map((at) => start(`replica-${at}`)))
    const [{ command }] = replicas
    const proxy = new Balancer(replicas)
    for (const person of people) {
      const { stdout } = await command('add-key', person.name, '--profile', person.mark)
      person.token = stdout.split('\n')[0]
      const client = new ModernClient(proxy, person)
      await until(
        t,
        async () => (await client.call(person.mark, `first-${person.name}`)).status === 200,
        'the key opens',
      )
    }
    let isOver = false
    const killing = async () => {
      for (let at = 0; at < KILLS && !isOver; at++) {
        await pause(AWAY_MS / 2)
        const killed = replicas[at % replicas.length]
        killed.isUp = false
        await killed.kill()
        replicas[at % replicas.length] = await start(killed.name, new URL(killed.url).port)
      }
      await server.stop()
      await pause(AWAY_MS)
      await server.start()
    }
    const world = killing()
    await Promise.all([works(people[0], people[1], proxy), works(people[1], people[0], proxy)])
    isOver = true
    await world
    for (const [person, other] of [people, people.toReversed()]) {
      const ids = (outcome) => [...person.outcomes].filter(([, is]) => is === outcome).map(([id]) => id)
      const made = person.made()
      t.deepEqual(ids('wrong'), [])
      t.deepEqual(person.lost, [])
      t.is(new Set(made).size, made.length, 'no call was made twice')
      t.deepEqual(
        ids('ok').filter((id) => !made.includes(id)),
        [],
      )
      t.log(person.name, Object.fromEntries(['ok', 'unknown', 'refused'].map((each) => [each, ids(each).length])))
      t.true(person.told.some((text) => text?.includes(person.mark)))
      t.true(ids('ok').length > CALLS / 2, `${ids('ok').length} answered`)
      t.deepEqual(
        person.told.filter((text) => text?.includes(other.mark)),
        [],
      )
      t.false(made.includes('foreign') || other.made().includes('foreign'))
      const rows = async () => {
        const { stdout } = await command('audit', '--json', '--most', '100000', '--server', person.mark)
        return stdout
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line))
      }
      const mayBeMade = async () => (await rows()).filter(({ outcome }) => outcome !== 'refused')
      await until(t, async () => (await mayBeMade()).length >= made.length, 'each call that was made has its row')
      t.deepEqual([...new Set((await rows()).map((row) => row.person))], [`key ${person.name}`])
    }
  },
)
