// Where installed MCP clients keep their servers, on each system. A table of places; what is not there is not missed.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { isFile } from '../config/regular-file.mjs'

/** Editors on VS Code's ground, by the folder that each has its user's files in. */
const EDITORS = [
  ['VS Code', 'Code'],
  ['VS Code Insiders', 'Code - Insiders'],
  ['VSCodium', 'VSCodium'],
  ['Cursor', 'Cursor'],
  ['Windsurf', 'Windsurf'],
  ['Trae', 'Trae'],
]

/** Extensions of editors by a part of their folder's name. Others are named by that folder. @type {[RegExp, string][]} */
const EXTENSIONS = [
  [/roo-cline/i, 'Roo Code'],
  [/zoo/i, 'Zoo Code'],
  [/claude-dev/i, 'Cline'],
  [/kilo/i, 'Kilo Code'],
]

/** Files in the user's folder. */
const IN_HOME = [
  ['Claude Code', '.claude.json'],
  ['Cursor', '.cursor/mcp.json'],
  ['Windsurf', '.codeium/windsurf/mcp_config.json'],
  ['Gemini CLI', '.gemini/settings.json'],
  ['Qwen Code', '.qwen/settings.json'],
  ['Codex', '.codex/config.toml'],
  ['Copilot CLI', '.copilot/mcp-config.json'],
  ['Amazon Q', '.aws/amazonq/mcp.json'],
  ['Kiro', '.kiro/settings/mcp.json'],
  ['LM Studio', '.lmstudio/mcp.json'],
  ['Junie', '.junie/mcp/mcp.json'],
  ['opencode', '.config/opencode/opencode.json'],
  ['opencode', '.config/opencode/opencode.jsonc'],
  ['Zed', '.config/zed/settings.json'],
  ['Amp', '.config/amp/settings.json'],
  ['Cline', '.cline/data/settings/cline_mcp_settings.json'],
  ['Continue', '.continue/config.yaml'],
  ['Continue', '.continue/config.json'],
  ['goose', '.config/goose/config.yaml'],
]

/** The same in the folder that programs have for such files on Windows. */
const IN_PROGRAMS = [
  ['goose', 'Block/goose/config/config.yaml'],
  ['Zed', 'Zed/settings.json'],
]

/** Folders with a file for each server. */
const FOLDERS = [['Continue', '.continue/mcpServers']]

/** Files in a project. */
const IN_PROJECT = [
  ['Claude Code', '.mcp.json'],
  ['Cursor', '.cursor/mcp.json'],
  ['VS Code', '.vscode/mcp.json'],
  ['Roo Code', '.roo/mcp.json'],
  ['Zoo Code', '.zoo/mcp.json'],
  ['Kilo Code', '.kilocode/mcp.json'],
  ['Gemini CLI', '.gemini/settings.json'],
  ['Qwen Code', '.qwen/settings.json'],
  ['Codex', '.codex/config.toml'],
  ['Amazon Q', '.amazonq/mcp.json'],
  ['Kiro', '.kiro/settings/mcp.json'],
  ['Junie', '.junie/mcp/mcp.json'],
  ['opencode', 'opencode.json'],
  ['opencode', 'opencode.jsonc'],
  ['VS Code', '.vscode/settings.json'],
  ['Zed', '.zed/settings.json'],
]

/** Files of Claude Code that say which tools it never asks about, and which it never calls. */
const PERMISSIONS = ['.claude/settings.json', '.claude/settings.local.json']
/** The same of whoever runs the machine. */
const MANAGED = {
  darwin: '/Library/Application Support/ClaudeCode/managed-settings.json',
  win32: 'C:\\Program Files\\ClaudeCode\\managed-settings.json',
}
const MANAGED_ELSEWHERE = '/etc/claude-code/managed-settings.json'

/** Entries of one folder that are looked at: extensions, profiles, files. */
const MOST = 500

/**
 * Files of clients that are there.
 *
 * @param {{ home?: string, project?: string, platform?: NodeJS.Platform, env?: NodeJS.ProcessEnv }} [where]
 * @returns {{ client: string, file: string, ofProject: boolean }[]} those of the project first: they are nearer
 */
export function clientFiles({
  home = os.homedir(),
  project = process.cwd(),
  platform = process.platform,
  env = process.env,
} = {}) {
  const found = []
  const add = (client, file, ofProject = false) => {
    if (!isFile(file) || found.some((each) => each.file === file)) return
    found.push({ client, file, ofProject })
  }
  const addAll = (client, folder, ofProject) => {
    for (const name of namesIn(folder))
      if (/\.(json|ya?ml)$/i.test(name)) add(client, path.join(folder, name), ofProject)
  }
  // A user's folder is no project: its files are there for all projects.
  if (project !== home) {
    for (const [client, file] of IN_PROJECT) add(client, path.join(project, file), true)
    for (const [client, folder] of FOLDERS) addAll(client, path.join(project, folder), true)
  }
  const ofPrograms = programFolder(home, platform, env)
  add('Claude Desktop', path.join(ofPrograms, 'Claude', 'claude_desktop_config.json'))
  for (const [client, file] of IN_HOME) add(client, path.join(home, file))
  if (platform === 'win32') for (const [client, file] of IN_PROGRAMS) add(client, path.join(ofPrograms, file))
  for (const [client, folder] of FOLDERS) addAll(client, path.join(home, folder), false)
  for (const [client, folder] of userFolders(home, ofPrograms)) addEditor(client, folder, add)
  return found
}

/** An editor's own files, those of its profiles, and those of its extensions. */
function addEditor(client, folder, add) {
  const profiles = path.join(folder, 'profiles')
  for (const own of [folder, ...namesIn(profiles).map((name) => path.join(profiles, name))]) {
    add(client, path.join(own, 'mcp.json'))
    add(client, path.join(own, 'settings.json'))
  }
  for (const extension of namesIn(path.join(folder, 'globalStorage'))) {
    const settings = path.join(folder, 'globalStorage', extension, 'settings')
    const name = EXTENSIONS.find(([pattern]) => pattern.test(extension))?.[1] ?? extension
    add(name, path.join(settings, 'mcp_settings.json'))
    add(name, path.join(settings, 'cline_mcp_settings.json'))
  }
}

/** Files that say which tools Claude Code and Zed call without asking, which not, and which after a question. */
export function permissionFiles({ home = os.homedir(), project = process.cwd(), ...where } = {}) {
  const own = [...new Set([home, project])].flatMap((folder) => PERMISSIONS.map((file) => path.join(folder, file)))
  const ofZed = clientFiles({ home, project, ...where }).filter(({ client }) => client === 'Zed')
  return [...[MANAGED[process.platform] ?? MANAGED_ELSEWHERE, ...own].filter(isFile), ...ofZed.map(({ file }) => file)]
}

export function programFolder(home, platform, env) {
  if (platform === 'win32') return env.APPDATA ?? path.join(home, 'AppData', 'Roaming')
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support')
  return env.XDG_CONFIG_HOME || path.join(home, '.config')
}

export function userFolders(home, ofPrograms) {
  return [
    ...EDITORS.map(([client, name]) => [client, path.join(ofPrograms, name, 'User')]),
    ['VS Code', path.join(home, '.vscode-server', 'data', 'User')],
    ['code-server', path.join(home, '.local', 'share', 'code-server', 'User')],
  ]
}

export function namesIn(folder) {
  try {
    return fs.readdirSync(folder).slice(0, MOST)
  } catch {
    return []
  }
}
