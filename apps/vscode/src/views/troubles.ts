// What is wrong and wants the user, in one list: the first rows of the view, its badge, the status bar and its hover say it.

import type { Problem } from '../config/files'
import type { HubServer } from '../servers/hub'

export interface Trouble {
  /** What stays the same while its words change. */
  id: string
  /** For a row: what a narrow side bar shows whole. */
  label: string
  /** In full. */
  text: string
  icon: string
  /** Nothing is wrong: it says what to do first. */
  isQuiet?: true
  /** The place of a mistake in a file. */
  file?: string
  line?: number
  /** What to do about it. */
  command: { title: string; command: string; arguments?: unknown[] }
}

interface State {
  servers: readonly HubServer[]
  problems: readonly Problem[]
  /** A setting that cannot be used. */
  setting: string | undefined
  /** Why there is no model though one is wanted. */
  modelFailure: string | undefined
  /** Servers that wait for the user's consent, those behind the gateway too. */
  askingCount: number
  /** Tools whose texts look suspicious. */
  suspiciousCount?: number
  /** Servers of files that the editor has not started, where it is the source. */
  unstarted?: readonly string[]
}

const SETTINGS = 'workbench.action.openSettings'

/** Troubles that no server's row shows by itself. */
export function troublesOf({
  servers,
  problems,
  setting,
  modelFailure,
  askingCount: asking,
  suspiciousCount = 0,
  unstarted = [],
}: State): Trouble[] {
  const troubles: Trouble[] = []
  if (setting)
    troubles.push({
      id: 'setting',
      label: 'Wrong setting',
      text: setting,
      icon: 'warning',
      command: toSettings('toolRouter.'),
    })
  for (const problem of problems) troubles.push(ofFile(problem))
  const forbidden = servers.find(({ state }) => state === 'forbidden')
  if (forbidden)
    troubles.push({
      id: 'forbidden',
      label: 'None may start',
      text: forbidden.reason ?? '',
      icon: 'lock',
      command: toSettings('chat.mcp.access'),
    })
  if (asking > 0) {
    const label = asking === 1 ? '1 server waits' : `${asking} servers wait`
    troubles.push({
      id: 'asking',
      label,
      text: `${label} for your consent. Look at what they run, and allow them or not.`,
      icon: 'shield',
      command: { title: 'Review', command: 'toolRouter.allow' },
    })
  }
  if (suspiciousCount > 0) {
    troubles.push({
      id: 'suspicious',
      label: `${suspiciousCount} suspicious`,
      text: `Suspicious tools: ${suspiciousCount}. What servers say about them tries to do something to the model. They are on until you switch them off.`,
      icon: 'warning',
      command: { title: 'Look at them', command: 'toolRouter.showSuspicious' },
    })
  }
  // Once one runs, its tools say what the view is for; others start when the editor wants them.
  if (servers.length === 0 && unstarted.length > 0) {
    const label = `${unstarted.length} not started`
    troubles.push({
      id: 'unstarted',
      label,
      text: `${label}: ${unstarted.join(', ')}. The editor runs no server of your files. Start one, and its tools are listed here.`,
      icon: 'debug-start',
      isQuiet: true,
      command: { title: 'Start', command: 'workbench.mcp.listServer' },
    })
  }
  if (modelFailure) {
    const text = `Tools are ranked by words alone: the model that came with this extension cannot be used. Install the extension again, or set toolRouter.model to none. (${modelFailure})`
    troubles.push({
      id: 'model',
      label: 'No model',
      text,
      icon: 'warning',
      command: { title: 'Show log', command: 'toolRouter.showLog' },
    })
  }
  return troubles
}

/** Servers that wait for the user or have failed: their rows show why. */
export const troubledServers = (servers: readonly HubServer[]): HubServer[] =>
  servers.filter(({ state }) => state === 'failed' || state === 'waiting' || state === 'login')

function ofFile({ file, text, line }: Problem): Trouble {
  if (line === undefined)
    return {
      id: `trust ${file}`,
      label: 'Not trusted',
      text: `The workspace is not trusted. ${file}: ${text}`,
      icon: 'shield',
      command: { title: 'Manage trust', command: 'workbench.trust.manage' },
    }
  const trouble: Trouble = {
    id: `file ${file}`,
    label: `mcp.json:${line}`,
    text: `${file} is broken: ${text}. Servers stay as they were.`,
    icon: 'error',
    file,
    line,
    command: { title: 'Open', command: 'toolRouter.openEntry' },
  }
  trouble.command.arguments = [{ kind: 'trouble', trouble: { file, line } }]
  return trouble
}

const toSettings = (query: string) => ({ title: 'Open settings', command: SETTINGS, arguments: [query] })
