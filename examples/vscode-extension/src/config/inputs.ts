// SPDX-License-Identifier: Apache-2.0
//
// What servers ask the user for (`${input:…}`). Kept in the editor's secret storage, and asked for only on a click. A value is
// of one entry in one workspace: no other server gets it, and this one no longer when its entry says something else.

import * as vscode from 'vscode'

import { type Configured, markOf, placeOf } from './files'

interface Given {
  mark: string
  values: Record<string, string>
}

export class Inputs {
  #given: Record<string, Given> = {}
  readonly #key: string

  /** @param workspace what tells this workspace from all others */
  constructor(
    readonly secrets: vscode.SecretStorage,
    workspace: string,
  ) {
    this.#key = `inputs of ${workspace}`
  }

  async load(): Promise<void> {
    try {
      this.#given = JSON.parse((await this.secrets.get(this.#key)) ?? '{}')
    } catch {
      this.#given = {} // no secret storage here, or a damaged one: the user is asked again
    }
  }

  get(server: Configured, id: string): string | undefined {
    const values = this.#of(server)
    return Object.hasOwn(values, id) ? values[id] : undefined
  }

  /** Asks for an input; false when the user gave none. */
  async ask(server: Configured, id: string): Promise<boolean> {
    const value = await ask(server, id)
    if (value === undefined) return false
    this.#given[placeOf(server)] = { mark: markOf(server), values: { ...this.#of(server), [id]: value } }
    await this.#keep()
    return true
  }

  /** Forgets what was given for a server. */
  async forget(server: Configured): Promise<void> {
    delete this.#given[placeOf(server)]
    await this.#keep()
  }

  #of(server: Configured): Record<string, string> {
    const place = placeOf(server)
    const given = Object.hasOwn(this.#given, place) ? this.#given[place] : undefined
    return given?.mark === markOf(server) ? given.values : {}
  }

  async #keep(): Promise<void> {
    await Promise.resolve(this.secrets.store(this.#key, JSON.stringify(this.#given))).catch(() => {})
  }
}

/** As the file describes it. What it does not describe is hidden while it is typed. */
async function ask({ name, file, inputs }: Configured, id: string): Promise<string | undefined> {
  const spec = inputs.get(id) ?? {}
  const title = `${name} of ${vscode.workspace.asRelativePath(file)} asks for ${id}`
  const prompt = spec.description ?? id
  if (spec.type === 'pickString' && Array.isArray(spec.options))
    return await vscode.window.showQuickPick(spec.options.map(String), {
      title,
      placeHolder: prompt,
      ignoreFocusOut: true,
    })
  const value = typeof spec.default === 'string' ? spec.default : undefined
  const password = spec.password ?? value === undefined
  return await vscode.window.showInputBox({ title, prompt, value, password, ignoreFocusOut: true })
}
