// A real PostgreSQL of a test file's own, on loopback, with a password: started with the first test and ended with the last.
import { execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

import pg from 'pg'

/** Where packages of PostgreSQL put its programs. */
const PLACES = ['/usr/lib/postgresql', '/usr/local/pgsql', '/opt/homebrew/opt/postgresql']
const PROGRAMS = ['initdb', 'postgres'].map((name) => (process.platform === 'win32' ? `${name}.exe` : name))
export const PASSWORD = 'a-password-of-this-test'

/** A folder with the programs: that of `TOOL_ROUTER_POSTGRES`, of a package, or of the path. */
function programs() {
  const versions = PLACES.filter(existsSync).flatMap((place) => [
    ...readdirSync(place).map((version) => path.join(place, version, 'bin')),
    path.join(place, 'bin'),
  ])
  const all = [
    process.env.TOOL_ROUTER_POSTGRES,
    ...versions.toSorted().toReversed(),
    ...process.env.PATH.split(path.delimiter),
  ]
  return all.find((place) => place && PROGRAMS.every((program) => existsSync(path.join(place, program))))
}

/** Why there is none; undefined where there is one. */
export const MISSING =
  programs() === undefined
    ? 'there is no PostgreSQL here; install it with: apt-get install postgresql, or name the folder of its programs in TOOL_ROUTER_POSTGRES'
    : undefined

/** PostgreSQL refuses to run as root. */
function unprivileged() {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/** Below the ports that systems give to connections: one of those would be taken while the database is away. */
async function freePort() {
  for (;;) {
    const port = randomInt(15_000, 32_000)
    const server = net.createServer()
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}

function started(child) {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += chunk
      if (said.includes('ready to accept connections')) resolve()
    })
    child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)))
  })
}

export async function startPostgres() {
  const user = unprivileged()
  const place = mkdtempSync(path.join(tmpdir(), 'tool-router-postgres-'))
  const data = path.join(place, 'data')
  const passwordFile = path.join(place, 'password')
  writeFileSync(passwordFile, PASSWORD)
  if (user.uid !== undefined) for (const each of [place, passwordFile]) chownSync(each, user.uid, user.gid)
  const [initdb, postgres] = PROGRAMS.map((name) => path.join(programs(), name))
  const flags = [
    '-D',
    data,
    '-U',
    'owner',
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
    '--no-sync',
  ]
  execFileSync(initdb, [...flags, '--locale=C'], { ...user, cwd: place, stdio: 'ignore' })
  const port = await freePort()
  const options = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    fsync: 'off',
    max_connections: 200,
  }
  const args = ['-D', data, ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  let child
  const start = async () => {
    child = spawn(postgres, args, { ...user, cwd: place, stdio: ['ignore', 'ignore', 'pipe'] })
    await started(child)
  }
  const stop = async (signal = 'SIGINT') => {
    if (child.exitCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
  await start()
  const addressOf = (database, name = 'owner', password = PASSWORD) =>
    `postgres://${name}:${password}@127.0.0.1:${port}/${database}`
  let made = 0
  return {
    port,
    program: (name) => path.join(programs(), process.platform === 'win32' ? `${name}.exe` : name),
    start,
    /** Ends all connections: a database that is gone. */
    stop,
    addressOf,
    /** Asks as the owner. */
    async query(database, text, values) {
      const client = new pg.Client(addressOf(database))
      await client.connect()
      try {
        return (await client.query(text, values)).rows
      } finally {
        await client.end()
      }
    },
    /** A new database. @returns {Promise<string>} its name */
    async database() {
      const name = `test${++made}`
      await this.query('postgres', `create database ${name}`)
      return name
    },
    async end() {
      await stop()
      rmSync(place, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** A PostgreSQL for all tests of a file, from before the first to after the last; empty where there is none. */
export function sharedPostgres(test) {
  const server = {}
  if (MISSING === undefined) {
    test.before(async () => void Object.assign(server, await startPostgres()))
    test.after.always(() => server.end?.())
  }
  return server
}
