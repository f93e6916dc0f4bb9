// SPDX-License-Identifier: Apache-2.0
//
// What the user does with a tool of the scope view: always load it, describe it in other words, compare both.

import * as vscode from 'vscode'

import { changeScope, configuration, toggled } from '../settings'
import type { Node } from './scope-tree'
import type { Texts } from './texts'

export function scopeCommands(texts: Texts): vscode.Disposable[] {
  const onTool = (name: string, act: (tool: ToolNode['tool']) => unknown) =>
    vscode.commands.registerCommand(`toolRouter.${name}`, (node?: Node) =>
      node?.kind === 'tool' ? act(node.tool) : undefined,
    )
  const pin = (isPinned: boolean) => (tool: ToolNode['tool']) =>
    changeScope(tool.serverName, (scope) => ({
      ...scope,
      alwaysLoad: toggled(scope.alwaysLoad, tool.toolName, isPinned),
    }))
  return [
    onTool('pin', pin(true)),
    onTool('unpin', pin(false)),
    onTool('override', override),
    onTool('compare', async ({ name, toolName, description, originalDescription }) => {
      const original = texts.uri(`${name} original.md`, originalDescription ?? '')
      const override = texts.uri(`${name} override.md`, description)
      await vscode.commands.executeCommand(
        'vscode.diff',
        original,
        override,
        `${toolName}: sent by the server ↔ read by models`,
      )
    }),
    vscode.commands.registerCommand('toolRouter.switchMode', switchMode),
  ]
}

type ToolNode = Extract<Node, { kind: 'tool' }>

async function override({ serverName, toolName, description, originalDescription }: ToolNode['tool']): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: `What models read about ${toolName}`,
    prompt: `Empty is what the server sends: ${(originalDescription ?? description).slice(0, 300)}`,
    value: description,
    ignoreFocusOut: true,
  })
  if (text === undefined) return
  await changeScope(serverName, (scope) => {
    const { [toolName]: _, ...others } = scope.toolDescriptionOverrides ?? {}
    const isNew = text.trim() !== '' && text !== originalDescription
    return { ...scope, toolDescriptionOverrides: isNew ? { ...others, [toolName]: text } : others }
  })
}

async function switchMode(): Promise<void> {
  const modes = Object.keys(configuration().get<object>('modes') ?? {})
  if (modes.length === 0)
    return void vscode.commands.executeCommand('workbench.action.openSettings', 'toolRouter.modes')
  const none = 'No mode'
  const picked = await vscode.window.showQuickPick([none, ...modes], { title: 'Mode of the task' })
  if (picked !== undefined) await configuration().update('mode', picked === none ? undefined : picked)
}
