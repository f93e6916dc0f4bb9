// The view of the extension over one server with three tools, asked as the editor asks it.

import { memory, resetEditor } from './vscode.mjs'

export const TOOLS = ['read', 'write', 'list'].map((name) => ({ name, description: `${name} a file.\nAt length.` }))

/**
 * @param {object} modules of the extension: its scope, its findings, its tokens and the tree
 * @param {import('../../index.js').ToolRouter} router
 */
export async function treeOf(modules, router) {
  const editor = resetEditor()
  modules.forgetScopes()
  const server = { name: 'files', source: 'project', state: 'connected', tools: TOOLS }
  await router.setServer({ name: 'files', tools: TOOLS, ...modules.scopeOf(server) })
  const findings = new modules.Findings()
  const hub = { servers: [server], unlisted: new Set(['files']), router, findings }
  const task = { selection: null }
  const tree = new modules.ScopeTree(router, hub, task, new modules.Tokens(router), memory())
  await tree.update([])
  const rows = async () => {
    const [first] = tree.getChildren()
    const inner = tree.getChildren(first)
    await tree.update() // as soon as the editor has the rows
    return [first, ...inner].map((node) => tree.getTreeItem(node))
  }
  const node = (at) => tree.getChildren(tree.getChildren()[0])[at]
  return { tree, editor, hub, server, task, rows, node }
}
