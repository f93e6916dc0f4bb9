// SPDX-License-Identifier: Apache-2.0
//
// Offers all servers of the workspace to the editor's agents as one MCP server with few tools, when the user wishes.

import { dirname, join } from 'node:path'

import * as vscode from 'vscode'

import type { ConfigFiles } from '../config/files'
import { configuration } from '../settings'

export function registerGateway(files: ConfigFiles): vscode.Disposable[] {
  const changed = new vscode.EventEmitter<void>()
  const provider = vscode.lm.registerMcpServerDefinitionProvider('toolRouter.gateway', {
    onDidChangeMcpServerDefinitions: changed.event,
    provideMcpServerDefinitions: () => definitions(files),
  })
  const again = () => changed.fire()
  const follows = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('toolRouter.gateway')) again()
  })
  return [changed, provider, follows, files.onDidChange(again)]
}

/** One gateway per file that has servers. */
export function definitions(files: ConfigFiles): vscode.McpStdioServerDefinition[] {
  if (!configuration().get<boolean>('gateway')) return []
  const { servers } = files.read()
  const program = join(dirname(require.resolve('@zoo-code/tool-router/package.json')), 'gateway', 'cli.mjs')
  const folders = new Set(servers.filter(({ source }) => source === 'project').map(({ workspace }) => workspace))
  const project = [...folders].map((folder) => ({
    label: 'MCP Tool Router',
    file: join(folder, '.vscode', 'mcp.json'),
    folder,
  }))
  const own = servers.find(({ source }) => source === 'global')
  const user = own ? [{ label: 'MCP Tool Router (user)', file: files.userFile.fsPath, folder: own.workspace }] : []
  return [...project, ...user].map(({ label, file, folder }) => {
    const args = [program, 'gateway', '--config', file, '--workspace', folder]
    // In the desktop editor the program of the host is Electron, which is Node with this variable.
    const env = { ELECTRON_RUN_AS_NODE: '1' }
    const definition = new vscode.McpStdioServerDefinition(label, process.execPath, args, env, '0.1.0')
    definition.cwd = vscode.Uri.file(folder)
    return definition
  })
}
