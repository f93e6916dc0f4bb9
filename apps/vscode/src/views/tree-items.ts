// The rows of the view in the editor's terms.

import * as vscode from 'vscode'

import type { Trouble } from './troubles'
import type { Row } from './words'

/** A row as the editor takes it. */
export function itemOf(
  { label, description, icon, tooltip, spoken, box, context }: Row,
  state: vscode.TreeItemCollapsibleState,
) {
  const item = new vscode.TreeItem(label, state)
  Object.assign(item, { description, tooltip, contextValue: context, iconPath: icon && new vscode.ThemeIcon(icon) })
  item.accessibilityInformation = { label: spoken }
  if (box) {
    const { Checked, Unchecked } = vscode.TreeItemCheckboxState
    const label = box.spoken
    item.checkboxState = { state: box.isOn ? Checked : Unchecked, tooltip: label, accessibilityInformation: { label } }
  }
  return item
}

export function troubleItem({ id, label, text, icon, isQuiet, command }: Trouble): vscode.TreeItem {
  const item = new vscode.TreeItem(label)
  Object.assign(item, {
    id: `trouble ${id}`,
    description: command.title,
    tooltip: text,
    command,
    contextValue: 'trouble',
  })
  item.iconPath = new vscode.ThemeIcon(
    icon,
    isQuiet ? undefined : new vscode.ThemeColor('problemsWarningIcon.foreground'),
  )
  item.accessibilityInformation = { label: `${label}. ${text} ${command.title}` }
  return item
}

export function ownItem(count: number): vscode.TreeItem {
  const label = "Editor's tools"
  const item = new vscode.TreeItem(label)
  const description = `${count}, not counted`
  const tooltip =
    'Of the editor and of its extensions, not of an MCP server. Agents have them anyway: a task does not choose from them.'
  Object.assign(item, { id: 'own', description, tooltip, contextValue: 'own' })
  item.iconPath = new vscode.ThemeIcon('tools')
  item.accessibilityInformation = { label: `${label}, ${description}` }
  return item
}
