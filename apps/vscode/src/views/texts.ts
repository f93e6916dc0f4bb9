// Texts to read in an editor. They are no files, so closing them asks nothing.

import * as vscode from 'vscode'

const SCHEME = 'mcp-tool-router'
/** Texts that are kept: those of the last editors. */
const KEPT = 20

export class Texts implements vscode.Disposable {
  readonly #texts = new Map<string, string>()
  readonly #registered = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: ({ path }) => this.#texts.get(path) ?? '',
  })
  #count = 0

  /** @param name the title of the editor */
  uri(name: string, text: string): vscode.Uri {
    const path = `/${++this.#count}/${name.replaceAll('/', ' ')}`
    this.#texts.set(path, text)
    this.#texts.delete(this.#texts.size > KEPT ? (this.#texts.keys().next().value ?? '') : '')
    return vscode.Uri.from({ scheme: SCHEME, path })
  }

  async show(name: string, text: string): Promise<void> {
    await vscode.window.showTextDocument(this.uri(name, text), { preview: true })
  }

  /** Closes what was shown under a name. */
  async close(name: string): Promise<void> {
    const isOurs = ({ input }: vscode.Tab) =>
      input instanceof vscode.TabInputText && input.uri.scheme === SCHEME && input.uri.path.endsWith(`/${name}`)
    await vscode.window.tabGroups.close(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(isOurs)))
  }

  dispose(): void {
    this.#registered.dispose()
  }
}
