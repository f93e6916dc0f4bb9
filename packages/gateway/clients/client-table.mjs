// Clients that the gateway can be written into: which file of each, under which key, and in which form.

import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { isFile } from '../config/regular-file.mjs'
import { namesIn, programFolder, userFolders } from './clients.mjs'

/**
 * @typedef {{ command: string, args: string[] }} Command
 * @typedef {{ home: string, platform: NodeJS.Platform, env: NodeJS.ProcessEnv }} Where
 *
 * @typedef {object} Client
 * @property {string} title
 * @property {(where: Where) => string | undefined} file of the user; undefined when it is not installed
 * @property {string} [inProject] its file in a project
 * @property {string} key where it keeps its servers
 * @property {(command: Command, name: string) => object} entry
 */

const plainEntry = ({ command, args }) => ({ command, args })
const typedEntry = ({ command, args }) => ({ type: 'stdio', command, args })

const inHome =
  (...parts) =>
  ({ home }) =>
    path.join(home, ...parts)
const inPrograms =
  (...parts) =>
  ({ home, platform, env }) =>
    path.join(programFolder(home, platform, env), ...parts)

/** The file of an extension in whichever editor has it; one that is there before one that could be. */
function ofExtension(pattern, name) {
  return ({ home, platform, env }) => {
    const found = userFolders(home, programFolder(home, platform, env)).flatMap(([, folder]) => {
      const storage = path.join(folder, 'globalStorage')
      const ids = namesIn(storage).filter((id) => pattern.test(id))
      return ids.map((id) => path.join(storage, id, 'settings', name))
    })
    return found.find(isFile) ?? found[0]
  }
}

const opencodeFile = ({ home }) => {
  const [json, jsonc] = ['opencode.json', 'opencode.jsonc'].map((name) => path.join(home, '.config', 'opencode', name))
  return isFile(jsonc) ? jsonc : json
}

const bySystem = (onWindows, elsewhere) => (where) => (where.platform === 'win32' ? onWindows : elsewhere)(where)
const zedFile = bySystem(inPrograms('Zed', 'settings.json'), inHome('.config', 'zed', 'settings.json'))
const gooseFile = bySystem(
  inPrograms('Block', 'goose', 'config', 'config.yaml'),
  inHome('.config', 'goose', 'config.yaml'),
)

/**
 * Entries of one form: the title, the file, the one in a project, the key, and the entry.
 *
 * @param {string} title
 * @param {Client['file']} file
 * @param {string} [inProject]
 * @param {string} [key]
 * @param {Client['entry']} [entry]
 */
const of = (title, file, inProject, key = 'mcpServers', entry = plainEntry) => ({ title, file, inProject, key, entry })

/** @type {Record<string, Client>} */
const CLIENTS = {
  'claude-desktop': of('Claude Desktop', inPrograms('Claude', 'claude_desktop_config.json')),
  'claude-code': of('Claude Code', inHome('.claude.json'), '.mcp.json', 'mcpServers', typedEntry),
  cursor: of('Cursor', inHome('.cursor', 'mcp.json'), '.cursor/mcp.json'),
  vscode: of('VS Code', inPrograms('Code', 'User', 'mcp.json'), '.vscode/mcp.json', 'servers', typedEntry),
  windsurf: of('Windsurf', inHome('.codeium', 'windsurf', 'mcp_config.json')),
  codex: of('Codex', inHome('.codex', 'config.toml'), '.codex/config.toml', 'mcp_servers', (command) => ({
    ...plainEntry(command),
    // Its ten seconds are short for a gateway whose servers are fetched first.
    startup_timeout_sec: 60,
  })),
  'gemini-cli': of('Gemini CLI', inHome('.gemini', 'settings.json'), '.gemini/settings.json'),
  opencode: of('opencode', opencodeFile, 'opencode.json', 'mcp', ({ command, args }) => ({
    type: 'local',
    command: [command, ...args],
    enabled: true,
  })),
  zed: of('Zed', zedFile, '.zed/settings.json', 'context_servers', (command) => ({
    source: 'custom',
    ...plainEntry(command),
    env: {},
  })),
  cline: of('Cline', ofExtension(/claude-dev/i, 'cline_mcp_settings.json')),
  'roo-code': of('Roo Code', ofExtension(/roo-cline/i, 'mcp_settings.json'), '.roo/mcp.json'),
  'zoo-code': of('Zoo Code', ofExtension(/zoo/i, 'mcp_settings.json'), '.zoo/mcp.json'),
  'kilo-code': of('Kilo Code', ofExtension(/kilo/i, 'mcp_settings.json'), '.kilocode/mcp.json'),
  'copilot-cli': of('Copilot CLI', inHome('.copilot', 'mcp-config.json'), undefined, 'mcpServers', (command) => ({
    type: 'local',
    ...plainEntry(command),
    tools: ['*'],
  })),
  'qwen-code': of('Qwen Code', inHome('.qwen', 'settings.json'), '.qwen/settings.json'),
  kiro: of('Kiro', inHome('.kiro', 'settings', 'mcp.json'), '.kiro/settings/mcp.json'),
  'lm-studio': of('LM Studio', inHome('.lmstudio', 'mcp.json')),
  goose: of('goose', gooseFile, undefined, 'extensions', ({ command, args }, name) => ({
    type: 'stdio',
    name,
    enabled: true,
    cmd: command,
    args,
    timeout: 300,
  })),
}

export const CLIENT_NAMES = Object.keys(CLIENTS)

/**
 * A client by the name that a person types, and its file.
 *
 * @param {string} name
 * @param {{ home?: string, project?: string, platform?: NodeJS.Platform, env?: NodeJS.ProcessEnv }} where `project`: its
 * file there, not that of the user
 * @returns {Client & { path: string }}
 * @throws {Error} for a client that is unknown, or not installed
 */
export function clientNamed(name, { home = os.homedir(), project, platform = process.platform, env = process.env }) {
  const wanted = name.toLowerCase().replaceAll(/[ _]/g, '-')
  const key = CLIENT_NAMES.find((each) => each === wanted || each.replaceAll('-', '') === wanted.replaceAll('-', ''))
  if (key === undefined)
    throw new Error(`no client ${JSON.stringify(name)} is known; they are ${CLIENT_NAMES.join(', ')}`)
  const client = CLIENTS[key]
  if (project !== undefined) {
    if (client.inProject === undefined) throw new Error(`${client.title} has no file in a project; leave --project out`)
    return { ...client, path: path.join(project, client.inProject) }
  }
  const file = client.file({ home, platform, env })
  if (file === undefined) throw new Error(`${client.title} is not installed in any editor here`)
  return { ...client, path: file }
}
