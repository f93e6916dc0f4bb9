// The state of a task in words for people: the same ones in the status bar, the list and the panel.

import type { Selection, Status } from '@zoo-code/tool-router'

export const count = (number: number) => number.toLocaleString('en-US')

/** A number for narrow places: three digits say enough there. */
export function short(number: number): string {
  if (number < 1_000) return String(number)
  const thousands = number / 1_000
  return `${thousands < 10 ? thousands.toFixed(1) : Math.round(thousands)}k`
}

/** Before a task nothing was sent, by anybody: numbers are what they would be. */
export const BEFORE = 'No task yet. An agent that gets every tool has them in each request.'

/** How a model sees a tool: its whole definition, or its name in a line of the directory. Others are not sent. */
export type Sent = 'whole' | 'named'

/** How it sees each tool that is sent, in the order of sending. */
export const sentTools = ({ attached, directory }: Selection): ReadonlyMap<string, Sent> =>
  new Map([...attached.map((name) => [name, 'whole'] as const), ...directory.map((name) => [name, 'named'] as const)])

/** How many tools a model sees: what is attached and out of scope for the moment is not counted. */
export function sentCounts({ tokens, directory, scopedCount }: Selection) {
  const whole = tokens.servers.reduce((sum, { attachedCount }) => sum + attachedCount, 0)
  return { whole, named: directory.length, sent: whole + directory.length, scoped: scopedCount }
}

/** "25 of 925 MCP tools, 20 by name": for narrow places. */
export function toolsInWords(selection: Selection): string {
  const { whole, named, sent, scoped } = sentCounts(selection)
  const byName = named === 0 ? '' : whole === 0 ? ', by name' : `, ${count(named)} by name`
  return `${count(sent)} of ${count(scoped)} MCP tools${byName}`
}

/** The same in a sentence, where some tools are not sent whole. */
export function statesInWords(selection: Selection): string {
  const { whole, named, sent, scoped } = sentCounts(selection)
  return `Of ${count(scoped)} tools ${count(whole)} are sent whole, ${count(named)} named in a line, and ${count(Math.max(0, scoped - sent))} not sent.`
}

/** Tokens of the tools of a task in each request, and what they would be with every tool. */
export const costOf = ({ tokens }: Selection) => ({
  sent: tokens.attached + tokens.mcpLoad + tokens.directory,
  every: tokens.scoped,
  saved: tokens.saved,
})

/** Which rule of the gate decided, and so why tools are or are not chosen. */
export function ruleInWords(selection: Selection, settings: { threshold?: number }): string {
  const { scopedCount } = selection
  switch (selection.rule) {
    case 'threshold':
      if (scopedCount > (settings.threshold ?? 0))
        return `All are attached: the ${count(scopedCount)} in scope cost no more than to choose among them.`
      return `All are attached: ${count(scopedCount)} in scope are at most the threshold of ${count(settings.threshold ?? 0)}.`
    case 'kill-switch':
      return 'All are attached: routing is off.'
    case 'over-limit':
      return 'All would be attached, and the limit of the model is lower; the rest are loaded on demand.'
    case 'over-threshold': {
      const threshold = settings.threshold ?? 0
      // A running task whose servers go keeps its way: all tools together would be another prompt.
      if (scopedCount <= threshold)
        return `Chosen: the task began with more tools than the threshold of ${count(threshold)}.`
      return `Chosen: ${count(scopedCount)} in scope are more than the threshold of ${count(threshold)}.`
    }
    default:
      return BEFORE
  }
}

/** What the tools of a task cost in each request: in the past tense of a model that was asked, or as it would be. */
export function costInWords(selection: Selection, isUsed: boolean): string {
  const { sent, every, saved } = costOf(selection)
  const verb = isUsed ? 'cost' : 'would cost'
  if (saved <= 0) return `The tools ${verb} ${count(sent)} tokens per request.`
  return `The tools ${verb} ${count(sent)} tokens per request instead of ${count(every)}: **${count(saved)} tokens saved**.`
}

/** The state of the ranker, with progress while vectors are made. */
export function rankerInWords(
  { state, vectorCount, toolCount, degraded, lastError }: Status,
  failure?: string,
): string {
  if (failure) return `Ranked by words alone: ${failure}`
  if (state === 'loading') {
    const share = toolCount > 0 ? ` ${count(vectorCount)} of ${count(toolCount)} tools are ready for it.` : ''
    return `Ranked by words; ranking by meaning is being prepared.${share}`
  }
  if (state === 'ready') return 'Ranked by words and by meaning.'
  return `Ranked by words alone${lastError ? `: ${lastError}` : degraded ? `: ${degraded.message}` : ''}.`
}
