// SPDX-License-Identifier: Apache-2.0
//
// What the running gateway has shown its client: it writes it beside its file, and the status bar reads it.

import { readFileSync } from 'node:fs'

export interface Live {
  pid: number
  /** Tools of its list, tools in scope, and the tokens of the list. */
  listed: number
  scoped: number
  tokens: number
}

export const liveFile = (file: string) => `${file}.live`

/** Of the gateway that runs now; one that was killed leaves its file behind. */
export function readLive(file: string): Live | undefined {
  try {
    const live: Live = JSON.parse(readFileSync(liveFile(file), 'utf8'))
    if (![live.pid, live.listed, live.scoped, live.tokens].every(Number.isInteger)) return undefined
    process.kill(live.pid, 0)
    return live
  } catch {
    return undefined
  }
}
