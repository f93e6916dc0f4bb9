// What servers ask the user for (`${input:…}`). Kept in the editor's secret storage, and asked for only on a click. A value is
// of one entry in one workspace, or of one entry of the user's own file: no other server gets it, and this one no longer when
// its entry says something else.

import * as vscode from 'vscode'

import { type Configured, isEverywhere, markOf, placeOf } from './files'

interface Given {
  mark: string
  values: Record<string, string>
}

const OF_USER = "inputs of the user's own servers"

export class Inputs {
  /** What was given, by the key that it is kept under. */
  readonly #given = new Map<string, Record<string, Given>>()
  readonly #ofWorkspace: string
  readonly #changed = new vscode.EventEmitter<void>()
  /** A value was given or forgotten, here or at the prompt of the gateway. */
  readonly onDidChange = this.#changed.event

  /** @param workspace what tells this workspace from all others */
  constructor(
    readonly secrets: vscode.SecretStorage,
    workspace: string,
  ) {
    this.#ofWorkspace = `inputs of ${workspace}`
  }

  dispose(): void {
    this.#changed.dispose()
  }

  async load(): Promise<void> {
    for (const key of [this.#ofWorkspace, OF_USER]) this.#given.set(key, await this.#read(key))
  }

  async #read(key: string): Promise<Record<string, Given>> {
    try {
      return JSON.parse((await this.secrets.get(key)) ?? '{}')
    } catch {
      return {} // no secret storage here, or a damaged one: the user is asked again
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
    await this.#keep(server, { mark: markOf(server), values: { ...this.#of(server), [id]: value } })
    return true
  }

  /** Forgets what was given for a server. */
  async forget(server: Configured): Promise<void> {
    await this.#keep(server, undefined)
  }

  #of(server: Configured): Record<string, string> {
    const place = placeOf(server)
    const kept = this.#given.get(this.#keyOf(server)) ?? {}
    const given = Object.hasOwn(kept, place) ? kept[place] : undefined
    return given?.mark === markOf(server) ? given.values : {}
  }

  #keyOf(server: Configured): string {
    return isEverywhere(server) ? OF_USER : this.#ofWorkspace
  }

  /** Another window may have kept something meanwhile: what is there now is read first. */
  async #keep(server: Configured, given: Given | undefined): Promise<void> {
    const key = this.#keyOf(server)
    const kept = { ...this.#given.get(key), ...(await this.#read(key)) }
    delete kept[placeOf(server)]
    if (given) kept[placeOf(server)] = given
    this.#given.set(key, kept)
    await Promise.resolve(this.secrets.store(key, JSON.stringify(kept))).catch(() => {})
    this.#changed.fire()
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
