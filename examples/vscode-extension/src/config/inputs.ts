// SPDX-License-Identifier: Apache-2.0
//
// What servers ask the user for (`${input:…}`). Kept in the editor's secret storage, and asked for only on a click.

import * as vscode from 'vscode'

const KEY = 'inputs'

export class Inputs {
  #values: Record<string, string> = {}

  constructor(readonly secrets: vscode.SecretStorage) {}

  async load(): Promise<void> {
    try {
      this.#values = JSON.parse((await this.secrets.get(KEY)) ?? '{}')
    } catch {
      this.#values = {} // no secret storage here, or a damaged one: the user is asked again
    }
  }

  get(id: string): string | undefined {
    return Object.hasOwn(this.#values, id) ? this.#values[id] : undefined
  }

  /** Asks for an input; false when the user gave none. */
  async ask(id: string): Promise<boolean> {
    const value = await vscode.window.showInputBox({ prompt: `Input ${id}`, password: true, ignoreFocusOut: true })
    if (value === undefined) return false
    this.#values[id] = value
    await Promise.resolve(this.secrets.store(KEY, JSON.stringify(this.#values))).catch(() => {})
    return true
  }
}
