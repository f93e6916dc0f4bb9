// Which of the editor's language models is asked: the one that the user has chosen, and none before.

import * as vscode from 'vscode'

const KEY = 'languageModel'

export class Models {
  constructor(readonly memory: vscode.Memento) {}

  /** The chosen one; asks where none is chosen, or the chosen one is gone. `undefined` where the user chooses none. */
  async get(): Promise<vscode.LanguageModelChat | undefined> {
    const models = await vscode.lm.selectChatModels()
    const known = this.memory.get<string>(KEY)
    return models.find((model) => keyOf(model) === known) ?? (await this.#choose(models))
  }

  async choose(): Promise<void> {
    await this.#choose(await vscode.lm.selectChatModels())
  }

  async #choose(models: readonly vscode.LanguageModelChat[]): Promise<vscode.LanguageModelChat | undefined> {
    if (models.length === 0) throw new Error('the editor has no language model; install or sign in to one')
    const items = models.map((model) => ({
      label: model.name,
      description: model.vendor,
      detail: `at most ${model.maxInputTokens.toLocaleString('en-US')} tokens`,
      model,
    }))
    const title = 'Which language model may MCP Tool Router ask?'
    const picked = await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true })
    if (picked) await this.memory.update(KEY, keyOf(picked.model))
    return picked?.model
  }
}

const keyOf = ({ vendor, id }: vscode.LanguageModelChat) => `${vendor} ${id}`
