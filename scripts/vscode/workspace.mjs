// A workspace with real MCP servers, of examples/servers, and what changes in it during the test.

import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { commandOf, readDefinitions } from '../../examples/demo/servers.mjs'

/** Servers with about 300 tools together that start without a network. */
const SERVERS = ['filesystem', 'memory', 'everything', 'github', 'gitlab', 'notion', 'linear']

const ODD_SERVER = fileURLToPath(new URL('odd-server.mjs', import.meta.url))
/** A server for faults, as odd-server.mjs takes its arguments. */
export const odd = (...args) => ({ command: process.execPath, args: [ODD_SERVER, ...args] })

export class Workspace {
  constructor(folder) {
    this.folder = folder
    this.file = path.join(folder, '.vscode', 'mcp.json')
    this.settingsFile = path.join(folder, '.vscode', 'settings.json')
    fs.mkdirSync(path.dirname(this.file), { recursive: true })
    fs.writeFileSync(path.join(folder, 'README.md'), '# A workspace\n')
    this.servers = Object.fromEntries(SERVERS.map((name) => [name, this.entry(name)]))
    this.write()
  }

  /** A server of examples/servers, as a person would configure it. */
  entry(name) {
    const [definition] = readDefinitions([name])
    const own = path.join(path.dirname(this.folder), 'servers', name)
    fs.mkdirSync(own, { recursive: true })
    const { args, env } = commandOf(definition, own)
    return { type: 'stdio', command: process.execPath, args, env }
  }

  /** Takes over what was changed in `servers`. */
  write(text = `// the servers of this project\n${JSON.stringify({ servers: this.servers }, null, 2)}\n`) {
    fs.writeFileSync(this.file, text)
    return text
  }

  /** Whether all its servers are connected and their tools in the router. */
  async isWhole(probe) {
    const { servers, status } = await probe('state')
    const isAll = servers.length === Object.keys(this.servers).length
    return isAll && servers.every(({ state }) => state === 'connected') && status.toolCount > 400
  }

  settings() {
    return fs.existsSync(this.settingsFile) ? JSON.parse(fs.readFileSync(this.settingsFile, 'utf8')) : {}
  }

  writeSettings(settings) {
    fs.writeFileSync(this.settingsFile, JSON.stringify(settings, null, 2))
  }
}
