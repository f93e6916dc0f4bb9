// What the router's shield found in texts of servers, in words. A tool is called suspicious from `medium` on: what is `low`,
// honest texts say too, and stands only in the tooltip.

import { createHash } from 'node:crypto'

import type { CatalogueChange, Finding } from '@zoo-code/tool-router'
import type * as vscode from 'vscode'

export const FINDING_WORDS: Record<Finding['code'], string> = {
  instructs: 'gives the model orders of its own',
  'hides-from-user': 'hides something from you, or decides in your place',
  'takes-secrets': 'asks for secrets or for what was said, or sends it away',
  'commands-calls': 'wants to be called first, or changes what other tools do',
  'runs-commands': 'runs commands, or destroys',
  'hidden-payload': 'has such a text in an encoding',
  'hidden-characters': 'has characters that nobody sees',
  'look-alike-letters': 'has words with letters of two scripts',
  'beyond-its-name': 'reads secrets that its name says nothing about',
  'shadows-tools': 'says how a tool of another server is to be used',
  'copies-tool': "is a copy of another server's tool",
  'asks-for-context': 'asks for what was said or thought',
  manipulates: 'is worded as texts are that act against you',
}
const SEVERITIES = ['high', 'medium', 'low']
/** As much of a text as is quoted: others wrote it. */
const LONGEST_QUOTE = 160

export interface SuspiciousTool {
  serverName: string
  toolName: string
  findings: readonly Finding[]
  /** What the tool was when it was found: the user's word on it holds for just that. */
  mark?: string
}

const KEY = 'fineTools'

/** Keeps what was found of each tool. An answer of the router is about tools that are new or have changed. */
export class Findings {
  readonly #found = new Map<string, SuspiciousTool>()

  /** @param memory that of the user, who finds a tool fine */
  constructor(readonly memory?: vscode.Memento) {}

  /** @param tools of the server, as it sends them */
  take({ added, changed, removed, findings }: CatalogueChange, tools: readonly { name: string }[] = []): void {
    for (const { serverName, toolName } of [...added, ...changed, ...removed])
      this.#found.delete(keyOf(serverName, toolName))
    for (const { serverName, toolName = '', finding } of findings) {
      const key = keyOf(serverName, toolName)
      const known = this.#found.get(key)?.findings ?? []
      const mark = markOf(serverName, toolName, tools)
      this.#found.set(key, { serverName, toolName, findings: [...known, finding], mark })
    }
  }

  of(serverName: string, toolName: string): readonly Finding[] {
    const found = this.#found.get(keyOf(serverName, toolName))
    return found && !this.#isFine(found) ? found.findings : []
  }

  /** The user has looked at a tool and finds nothing wrong: nothing is said about it until it says something else. */
  async accept({ mark }: SuspiciousTool): Promise<void> {
    if (mark !== undefined) await this.memory?.update(KEY, [...this.#fine, mark])
  }

  #isFine({ mark }: SuspiciousTool): boolean {
    return mark !== undefined && this.#fine.includes(mark)
  }

  get #fine(): string[] {
    return this.memory?.get<string[]>(KEY) ?? []
  }

  /** Tools of servers that look suspicious; texts of a server itself have an empty name. */
  suspicious(servers: readonly string[]): SuspiciousTool[] {
    return [...this.#found.values()].filter(
      (found) => servers.includes(found.serverName) && isSuspicious(found.findings) && !this.#isFine(found),
    )
  }
}

export const isSuspicious = (findings: readonly Finding[]) => findings.some(({ severity }) => severity !== 'low')

/** A line for each kind, the worst first. */
export function findingLines(findings: readonly Finding[], description?: string): string[] {
  const worst = [...findings].sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
  const kinds = new Map<string, Finding>()
  for (const finding of worst) if (!kinds.has(finding.code)) kinds.set(finding.code, finding)
  return [...kinds.values()].map(({ code, severity, field, start, end }) => {
    const quote = field === 'description' && description !== undefined ? description.slice(start, end) : ''
    const words = `${FINDING_WORDS[code]} (${severity}, in its ${field})`
    return quote ? `${words}: "${quote.replace(/\s+/g, ' ').slice(0, LONGEST_QUOTE)}"` : words
  })
}

function markOf(serverName: string, toolName: string, tools: readonly { name: string }[]): string | undefined {
  const tool = tools.find(({ name }) => name === toolName)
  const text = tool && JSON.stringify([serverName, tool])
  return text && createHash('sha256').update(text).digest('hex')
}

const keyOf = (serverName: string, toolName: string) => `${serverName}\n${toolName}`
