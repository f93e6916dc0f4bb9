// What the status bar says. It is there as long as there is something to say: tools, a server, or something that is wrong.

import type { Selection, Status } from '@zoo-code/tool-router'

import type { Live } from '../agents/gateway-live'
import type { HubServer } from '../servers/hub'
import { BEFORE, costInWords, count, rankerInWords, ruleInWords, statesInWords, toolsInWords } from '../task/words'
import { type Trouble, troubledServers } from './troubles'

export interface StatusState {
  isEnabled: boolean
  servers: readonly HubServer[]
  troubles: readonly Trouble[]
  /** Tools that a task may use, and their tokens. */
  scope: { count: number; tokens: number }
  selection: Selection | null
  /** Whether a model has been asked with them. */
  isUsed: boolean
  /** What the gateway has shown its client, while it runs. */
  live: Live | undefined
  status: Status
  settings: { threshold?: number }
  /** Why no server is used at all, where the mode is one that nobody has described. */
  modeProblem?: string
}

/** Servers that failed which the hover names; the view has all. */
const MAX_NAMED = 3

export interface StatusWords {
  isShown: boolean
  text: string
  spoken: string
  isWarning: boolean
  /** Paragraphs of the hover; what others wrote is escaped. */
  lines: string[]
}

export function statusWords(state: StatusState): StatusWords {
  const { isEnabled, servers, troubles, scope, selection, status, live } = state
  const failed = troubledServers(servers)
  const isWarning = troubles.some(({ isQuiet }) => !isQuiet) || failed.length > 0
  const tools = live ? ofGateway(live) : selection ? toolsInWords(selection) : `${count(scope.count)} MCP tools`
  const text = isEnabled ? tools : `${count(scope.count)} MCP tools, routing off`
  const icon = isWarning ? '$(warning)' : status.state === 'loading' ? '$(loading~spin)' : '$(tools)'
  return {
    isShown: troubles.length > 0 || servers.length > 0 || live !== undefined,
    text: `${icon} ${text}`,
    spoken: [text, ...troubles.map(({ label }) => label), ...failed.map(({ name, state }) => `${name} ${state}`)].join(
      ', ',
    ),
    isWarning,
    lines: linesOf(state),
  }
}

/** An agent of the gateway finds all of them, also while it has none in its list. */
const ofGateway = ({ attached, scoped }: Live) =>
  attached > 0 ? `${count(attached)} of ${count(scoped)} MCP tools` : `${count(scoped)} MCP tools, by search`

function linesOf({
  isEnabled,
  servers,
  troubles,
  scope,
  selection,
  isUsed,
  live,
  status,
  settings,
  modeProblem,
}: StatusState): string[] {
  // What one comes for stands first.
  const lines: string[] = []
  if (live) {
    lines.push(
      `The gateway's agent has ${count(live.attached)} of ${count(live.scoped)} tools, and ${count(live.listed - live.attached)} of the gateway itself to find and call the others: **${count(live.tokens)} tokens** in each request.`,
    )
  }
  if (!isEnabled) lines.push('Routing is off (toolRouter.enabled): every tool is attached.')
  else if (selection) {
    lines.push(costInWords(selection, isUsed))
    if (selection.mode === 'dynamic') lines.push(statesInWords(selection))
    if (!isUsed) lines.push('No model has been asked yet: these are the numbers of an agent that uses the router.')
    lines.push(modeProblem === undefined ? ruleInWords(selection, settings) : plain(modeProblem))
  } else if (scope.count > 0) {
    lines.push(`${BEFORE} It would cost **${count(scope.tokens)} tokens**.`)
  }
  // While all tools are attached nothing is ranked, and no model is loaded.
  if (selection?.mode === 'dynamic' || scope.count > (settings.threshold ?? 0)) lines.push(rankerInWords(status))
  for (const { text, isQuiet } of troubles) lines.push(`$(${isQuiet ? 'info' : 'warning'}) ${plain(text)}`)
  const failed = troubledServers(servers)
  for (const { name, state, reason } of failed.slice(0, MAX_NAMED))
    lines.push(`$(circle-slash) ${plain(name)}: ${plain(reason ?? state)}`)
  if (failed.length > MAX_NAMED) lines.push(`The view says what is wrong with ${failed.length - MAX_NAMED} more.`)
  return lines
}

/** Names and messages come from servers: they are shown as they are, never as markup. */
function plain(text: string): string {
  return text.slice(0, 300).replaceAll(/[\\`*_{}[\]()#+!|<>~$&-]/g, '\\$&')
}
