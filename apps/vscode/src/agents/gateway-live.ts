// What the running gateway has shown its client: it writes it beside its file, and the status bar reads it.

import { readFileSync } from 'node:fs'

export interface Live {
  pid: number
  /** Definitions of its list, how many of these are tools of servers, tools in scope, and the tokens of the list. */
  listed: number
  attached: number
  scoped: number
  tokens: number
  /** Whether all of its servers were there: `scoped` is all that there is. */
  isWhole: boolean
}

export const liveFile = (file: string) => `${file}.live`

/** Of the gateway that runs now; one that was killed leaves its file behind. */
export function readLive(file: string): Live | undefined {
  try {
    const live: Live = JSON.parse(readFileSync(liveFile(file), 'utf8'))
    if (![live.pid, live.listed, live.attached, live.scoped, live.tokens].every(Number.isInteger)) return undefined
    process.kill(live.pid, 0)
    return live
  } catch {
    return undefined
  }
}
