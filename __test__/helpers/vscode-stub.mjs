// What the extension uses of `vscode`, over `globalThis.editor`.

export class EventEmitter {
  #listeners = new Set()
  event = (listener) => {
    this.#listeners.add(listener)
    return { dispose: () => this.#listeners.delete(listener) }
  }
  fire(value) {
    for (const listener of [...this.#listeners]) listener(value)
  }
  dispose() {
    this.#listeners.clear()
  }
}

export class ThemeIcon {
  constructor(id) {
    this.id = id
  }
}
export class ThemeColor {}
export class TreeItem {
  constructor(label, collapsibleState = 0) {
    Object.assign(this, { label, collapsibleState })
  }
}
export class RelativePattern {}
export class MarkdownString {
  constructor(value = '') {
    this.value = value
  }
}
export class McpStdioServerDefinition {
  constructor(label, command, args, env, version) {
    Object.assign(this, { label, command, args, env, version })
  }
}
export class Range {}
export const TreeItemCheckboxState = { Unchecked: 0, Checked: 1 }
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 }
export const ConfigurationTarget = { Global: 1, Workspace: 2 }
export const QuickPickItemKind = { Separator: -1, Default: 0 }
export const StatusBarAlignment = { Right: 2 }
export const ProgressLocation = { Notification: 15 }

const uri = (path) => ({ scheme: 'file', fsPath: path, toString: () => `file://${path}` })
export const Uri = {
  file: uri,
  joinPath: ({ fsPath }, ...parts) => uri(new URL(parts.join('/'), `file://${fsPath}/`).pathname),
}

const nothing = { dispose: () => {} }
const event = () => nothing

export const workspace = {
  get isTrusted() {
    return globalThis.editor.isTrusted
  },
  get workspaceFolders() {
    return globalThis.editor.folders.map((folder) => ({ uri: uri(folder) }))
  },
  getConfiguration: (section) => ({
    get: (name) => {
      const whole = `${section}.${name}`
      const { user, workspace } = globalThis.editor
      return structuredClone(workspace[whole] ?? user[whole])
    },
    inspect: (name) => {
      const whole = `${section}.${name}`
      return { globalValue: globalThis.editor.user[whole], workspaceValue: globalThis.editor.workspace[whole] }
    },
    update: async (name, value, target) => {
      const whole = `${section}.${name}`
      const layer = target === ConfigurationTarget.Global ? 'user' : 'workspace'
      globalThis.editor.written.push([layer, name, structuredClone(value)])
      globalThis.editor[layer][whole] = structuredClone(value)
    },
  }),
  asRelativePath: (file) => file,
  createFileSystemWatcher: () => ({ ...nothing, onDidChange: event, onDidCreate: event, onDidDelete: event }),
  registerTextDocumentContentProvider: () => nothing,
  onDidChangeWorkspaceFolders: event,
  onDidGrantWorkspaceTrust: event,
  onDidChangeConfiguration: event,
}

const answer = async (...asked) => {
  globalThis.editor.said.push(asked)
  return globalThis.editor.answers.shift()
}

export const window = {
  showInputBox: answer,
  showQuickPick: answer,
  showInformationMessage: answer,
  showWarningMessage: answer,
  showErrorMessage: answer,
  createOutputChannel: () => ({ ...nothing, error: () => {}, show: () => {} }),
  createStatusBarItem: () => ({ ...nothing, show: () => {}, hide: () => {} }),
  createTreeView: (_id, options) => {
    const handlers = {}
    const on = (name) => (handler) => {
      handlers[name] = handler
      return nothing
    }
    const view = {
      visible: true,
      selection: [],
      onDidChangeCheckboxState: on('check'),
      onDidChangeVisibility: on('visibility'),
      onDidChangeSelection: on('selection'),
      dispose: () => {},
      handlers,
      options,
    }
    globalThis.editor.view = view
    return view
  },
}

export const commands = {
  registerCommand: (name, act) => {
    globalThis.editor.commands.push([name, act])
    return nothing
  },
  executeCommand: async (...asked) => void globalThis.editor.said.push(asked),
}

export const lm = {
  get tools() {
    return globalThis.editor.tools
  },
}
