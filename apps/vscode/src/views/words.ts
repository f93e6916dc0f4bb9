// What the view says about a server and a tool, for eyes and for screen readers. A row is read as its name, what it is, its
// state and its numbers; the description comes last, since it is long and others wrote it.

import type { Finding, ListedTool } from '@zoo-code/tool-router'

import type { HubServer } from '../servers/hub'
import { count, type Sent, short } from '../task/words'
import { findingLines, isSuspicious } from '../servers/findings'

export interface Row {
  label: string
  description: string
  /** Only where it says something: in a narrow side bar it takes the place of three letters. */
  icon?: string
  tooltip: string
  /** What a screen reader says for the row, and for its box. */
  spoken: string
  box?: { isOn: boolean; spoken: string }
  context: string
}

export interface ServerState {
  server: HubServer
  tools: readonly ListedTool[]
  isDisabled: boolean
  /** How the model of the running task sees tools, by name; absent without one, or where it has all. */
  sent?: ReadonlyMap<string, Sent>
  /** Tokens of its tools that are on, where they are known. */
  tokens?: number
  /** The mode of the task, where the mode leaves the server out. */
  outsideMode?: string
  /** How many of its tools look suspicious. */
  suspicious?: number
}

const OWNERS = { project: 'the workspace', global: 'the user', editor: 'the editor' }
const ICONS = {
  connected: undefined,
  connecting: 'loading~spin',
  waiting: 'key',
  failed: 'error',
  login: 'account',
  closed: 'circle-slash',
  asking: 'shield',
  off: 'circle-slash',
  forbidden: 'lock',
}
const STATES = {
  connected: 'connected',
  connecting: 'connecting',
  waiting: 'waits for an input',
  failed: 'failed',
  login: 'wants a login',
  closed: 'ended',
  asking: 'not allowed yet',
  off: 'off',
  forbidden: 'forbidden by the settings of the editor',
}
/** States that an icon says, or the first row of the view in full. */
const SHORT: Partial<Record<keyof typeof STATES, string>> = {
  connecting: '',
  off: 'off',
  asking: 'waits',
  forbidden: '',
}

export function serverRow({ server, tools, isDisabled, sent, tokens, outsideMode, suspicious = 0 }: ServerState): Row {
  const { name, source, state, reason } = server
  const on = tools.filter(({ off }) => off === undefined)
  const isFine = state === 'connected' || (state === 'connecting' && tools.length > 0)
  const has = sent && on.filter((tool) => sent.has(tool.name)).length
  const named = on.filter((tool) => sent?.get(tool.name) === 'named').length
  const off = tools.length - on.length
  const rest = [
    ...(has !== undefined && off > 0 ? [`${count(off)} off`] : []),
    ...(suspicious > 0 ? [`${count(suspicious)} suspicious`] : []),
    ...(outsideMode === undefined ? [] : [`not in mode ${outsideMode}`]),
  ]
  const numbers = [
    has === undefined
      ? `${of(on.length, tools.length)} on`
      : `${of(has, on.length)} sent${named > 0 ? `, ${count(named)} by name` : ''}`,
    ...(tokens === undefined ? [] : [`${count(tokens)} tokens`]),
    ...rest,
  ]
  // A side bar is narrow, and cuts the end: the tooltip and a screen reader have the whole words.
  const shown = [
    ...(tokens === undefined ? [] : [`${short(tokens)} tokens`]),
    has === undefined ? `${of(on.length, tools.length)} on` : `${of(has, on.length)} sent`,
    ...rest,
  ]
  const kind = source === 'editor' ? 'tools' : 'server'
  const spoken = [name, `${kind} of ${OWNERS[source]}`, STATES[state], ...(tools.length > 0 ? numbers : [])]
  return {
    label: name,
    description: isFine ? shown.join(' · ') : (SHORT[state] ?? reason ?? STATES[state]),
    icon: ICONS[state],
    tooltip: [`${name}, ${kind} of ${OWNERS[source]}: ${reason ?? STATES[state]}`, ...(isFine ? numbers : [])].join(
      '\n',
    ),
    spoken: [...spoken, ...(isFine || !reason ? [] : [reason])].join(', '),
    // A tick means that a task may use it: one that may not start yet has none.
    box:
      state === 'asking' || state === 'forbidden'
        ? undefined
        : { isOn: !isDisabled, spoken: `${name} is ${isDisabled ? 'off' : 'on'}` },
    context: contextOf(server, tools),
  }
}

/** What the menu of a server has to know: nothing is offered that would do nothing. */
const contextOf = ({ state, configured }: HubServer, tools: readonly ListedTool[]) =>
  [
    `server ${state}`,
    ...(configured ? ['file'] : []),
    ...(JSON.stringify(configured?.entry ?? '').includes('${input:') ? ['inputs'] : []),
    ...(tools.length > 0 ? ['tools'] : []),
  ].join(' ')

/** Short where nothing is missing: side bars are narrow. */
const of = (part: number, all: number) => (part === all ? count(all) : `${count(part)} of ${count(all)}`)

export interface ToolState {
  tool: ListedTool
  /** Why a task does not use it though it is on. */
  outsideMode?: string
  sent?: ReadonlyMap<string, Sent>
  tokens?: number
  hasChanged: boolean
  /** What the router's shield found in its texts. */
  findings?: readonly Finding[]
}

export function toolRow({ tool, outsideMode, sent, tokens, hasChanged, findings = [] }: ToolState): Row {
  const { toolName, description, originalDescription, alwaysLoad, off } = tool
  const how = sent?.get(tool.name)
  const task = sent === undefined ? 'on' : how === undefined ? 'not sent' : how === 'whole' ? 'sent whole' : 'named'
  const state = off === undefined ? task : 'off'
  const marks = [
    ...(hasChanged ? ['changed'] : []),
    ...(isSuspicious(findings) ? ['suspicious'] : []),
    ...(tokens === undefined ? [] : [`${short(tokens)} tokens`]),
    ...(state === 'on' ? [] : [state]),
    ...(alwaysLoad ? ['always loaded'] : []),
    ...(originalDescription === undefined ? [] : ['overridden']),
    ...(off === undefined && outsideMode !== undefined ? [`not in mode ${outsideMode}`] : []),
  ]
  const icons = { off: 'circle-slash', on: undefined, 'sent whole': 'send', named: 'tag', 'not sent': 'cloud' }
  const text =
    originalDescription === undefined
      ? description
      : `Instead of:\n${originalDescription}\n\nmodels read:\n${description}`
  const lines = findingLines(findings)
  const said = lines.length > 0 ? [['This tool', ...lines].join('\n- ')] : []
  const firstLine = description.trim().split('\n', 1)[0]?.slice(0, 200) ?? ''
  return {
    label: toolName,
    description: [...marks, firstLine].filter(Boolean).join(' · '),
    icon: isSuspicious(findings) ? 'warning' : hasChanged ? 'circle-filled' : alwaysLoad ? 'pinned' : icons[state],
    tooltip: [...(off === undefined ? [] : [`Off: ${off}.`]), ...said, text].join('\n\n'),
    spoken: [
      toolName,
      'tool',
      off === undefined ? 'on' : `off: ${off}`,
      ...marks.filter((mark) => mark !== 'off'),
      ...(isSuspicious(findings) ? lines.slice(0, 1) : []),
      firstLine,
    ]
      .filter(Boolean)
      .join(', '),
    box: { isOn: off === undefined, spoken: `${toolName} is ${off === undefined ? 'on' : 'off'}` },
    context: [
      'tool',
      alwaysLoad ? 'pinned' : 'unpinned',
      ...(originalDescription === undefined ? [] : ['overridden']),
      ...(how === 'whole' ? ['loaded'] : []),
    ].join(' '),
  }
}
