// tool-router-gateway login and logout: a remote server's login, made in a browser and kept for the gateway.

import { spawn } from 'node:child_process'
import process from 'node:process'

import { isNamed } from '../base/command-line.mjs'
import { readConfigFile } from '../config/read.mjs'
import { plain } from '../base/errors.mjs'
import { Gateway } from '../gateway/gateway.mjs'
import { Logins } from '../login/logins.mjs'
import { openStore } from '../store/store.mjs'

/** How each system opens an address. */
const OPENERS = { darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'] }
const OPENER = ['xdg-open']
/** Longer than any login waits. */
const A_DAY_MS = 86_400_000

/**
 * @param {{ config: string, workspace?: string, 'no-browser'?: boolean }} values
 * @param {string} name the server
 * @param {(line: string) => void} print
 * @returns {Promise<number>} the exit code
 */
export async function runLogin({ config: file, workspace, 'no-browser': noBrowser }, name, print) {
  const { definition, config } = find(file, workspace, name)
  const logins = new Logins(config.settings.loginDir)
  // Nothing of a login holds the process, so that a gateway may end with one open.
  const held = setInterval(() => {}, A_DAY_MS)
  try {
    const { url, done } = await logins.begin(definition)
    print(`Open this address to log in to ${plain(name, 60)}:`)
    print(url)
    print(
      'If the page says that it does not know this client, end this and run it again: the client is registered again.',
    )
    if (!noBrowser && process.stderr.isTTY) openBrowser(url)
    await done
    print(`Logged in to ${plain(name, 60)}.`)
    return await check(config, definition, print)
  } finally {
    clearInterval(held)
    await logins.close()
  }
}

/** @returns {Promise<number>} the exit code */
export async function runLogout({ config: file, workspace }, name, print) {
  const { definition, config } = find(file, workspace, name)
  const wasKept = await new Logins(config.settings.loginDir).forget(definition)
  print(wasKept ? `The login to ${plain(name, 60)} is forgotten here.` : `No login to ${plain(name, 60)} is kept here.`)
  return 0
}

function find(file, workspace, name) {
  const config = readConfigFile(file, workspace === undefined ? {} : { workspace })
  const definition = [...config.servers.values()].find((each) => isNamed(name, each.name))
  const remote = [...config.servers.values()].filter(({ transport }) => transport === 'http').map((each) => each.name)
  const known = remote.length === 0 ? 'it has no remote server' : `its remote servers are ${plain(remote.join(', '))}`
  const left = config.leftOut.find((each) => each.kind === 'server' && each.name === name)
  if (left) throw new Error(`${plain(name, 60)} is left out: ${left.reason}`)
  if (!definition) throw new Error(`the configuration has no server ${plain(name, 60)} that is on; ${known}`)
  if (definition.transport !== 'http')
    throw new Error(`${plain(name, 60)} is a program and takes its keys from env; ${known}`)
  return { definition, config }
}

/** Whether the server lets the gateway in now. */
async function check(config, definition, print) {
  const store = await openStore(config.settings)
  const gateway = new Gateway(config, () => {}, { store, restarts: false })
  try {
    gateway.catalogue.add({ ...definition, lazy: false })
    await gateway.ready({ timeoutMs: definition.startMs })
    const [{ state, toolCount, reason }] = gateway.servers
    if (state !== 'ready') print(`But it does not work yet: ${reason}`)
    else print(`It has ${toolCount} tools.`)
    return state === 'ready' ? 0 : 1
  } finally {
    await gateway.close()
  }
}

/** A try: the address is printed as well. No shell reads it. */
function openBrowser(url) {
  const [program, ...args] = OPENERS[process.platform] ?? OPENER
  spawn(program, [...args, url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}
