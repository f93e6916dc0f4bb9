// The tools of the gateway itself: what the model is told of them. Each text is paid for in every request, so none is longer
// than a model needs.

import { programTool } from '@zoo-code/tool-router-programs/definition.mjs'

/** The ways to call a tool by its name, one for each kind: a client lets through or asks for each of them by itself. */
export const CALLS_BY_KIND = ['call_tool_read', 'call_tool_write', 'call_tool_destructive']
/** The meta tools that are offered when nothing is said, in this order. */
export const DEFAULT_META_TOOLS = [
  'mcp_load',
  'search_mcps',
  'describe_tool',
  'manage_modules',
  'select_mode',
  'read_result',
  ...CALLS_BY_KIND,
]
/** Runs a program. Not offered by itself: it needs a package that need not be installed, and a client that asks its user by
 * the name of what is called cannot tell what a program calls. */
export const PROGRAM = 'run_program'
/** All of them. The last but one is for hosts that teach their model the signal of a missing capability. */
export const META_TOOL_NAMES = [...DEFAULT_META_TOOLS, 'call_tool', 'report_missing_capability', PROGRAM]

/** Whether a meta tool calls a tool of a server. */
export const isCall = (name) => name === 'call_tool' || CALLS_BY_KIND.includes(name)
/** The worst that a program may do to the world, for a client that asks its user. @returns {import('./tool-kind.mjs').Kind} */
export function worstOfPrograms({ readOnly, programDestroys }) {
  if (readOnly) return 'read'
  return programDestroys === 'refuse' ? 'write' : 'destructive'
}

/** Whether it has servers do something, and leaves the list of tools as it is. */
export const isWork = (name) => name === PROGRAM || isCall(name)

/**
 * The meta tools that are answered: those that are offered, and `call_tool`, which no list shows, where all kinds are
 * offered. What was written for it goes on; a model calls only what it is shown.
 */
export function answeredOf(offered) {
  return new Set(CALLS_BY_KIND.every((name) => offered.includes(name)) ? [...offered, 'call_tool'] : offered)
}

/** How sure the model is of what the task needs; less sure means a wider set of tools. */
export const CONFIDENCE_LEVELS = ['exploring', 'low', 'medium', 'high']

/** Characters of the list of servers in `mcp_load`: about 150 tokens. */
const SERVER_LIST = 500

const string = (description) => ({ type: 'string', description })
const object = (properties, required) => ({ type: 'object', properties, required })

/** Clients that let harmless tools through need not ask for each of these. */
const READS = { readOnlyHint: true }
const WRITES = { destructiveHint: false }
const DESTROYS = { destructiveHint: true }
/** Claude Code hides tools behind a search of its own; not these: the way to all others, and what is pinned. */
export const SHOWN = { 'anthropic/alwaysLoad': true }

const modules = (actions, description) =>
  object({ action: { type: 'string', enum: actions }, module: string(description) }, ['action'])

const TASK = object(
  {
    task_description: { type: 'string' },
    confidence_level: {
      type: 'string',
      enum: CONFIDENCE_LEVELS,
      description: 'Less sure: more tools; exploring: also what only comes near.',
    },
    context_files: { type: 'array', items: { type: 'string' }, description: 'Paths of its files.' },
  },
  ['task_description'],
)

const CALL_PARAMETERS = { name: { type: 'string' }, arguments: { type: 'object' } }
const CALL = object(CALL_PARAMETERS, ['name'])
/** Where a mode fixes parameters: nothing is kept of a modern client, so its call says the mode. */
const CALL_IN_MODE = object({ ...CALL_PARAMETERS, mode: string('The mode that select_mode answered.') }, ['name'])

const SIGNAL = {
  original_query: string('What the user asked for.'),
  missing_capability: string('What is missing, in a few words.'),
  attempted_mcps: { type: 'array', items: { type: 'string' }, description: 'Servers you tried.' },
  completed_steps: { type: 'array', items: { type: 'string' } },
  checkpoint: string('Where to go on from.'),
  reasoning: string('Why you think so.'),
}
/** Nothing is kept of a modern client: what an answer ended with goes on by its handle. */
const HANDLE = string('That of the answer before, if there was one for this task.')
const QUERY =
  'What you want to do, in a few words, several needs one per line; or exact tool names, separated by commas; or a server.'

const call = (what, annotations) => () => ({
  description: `Call an MCP tool that ${what}, by its name.`,
  inputSchema: CALL,
  annotations,
  _meta: SHOWN,
})

/**
 * Each definition, for the servers that there are. Clients of the older era have what they ask for put into their list of tools;
 * the list of the current era stays as it is, and answers hold definitions.
 *
 * @type {Record<string, (of: { servers: string[], isModern: boolean, programs: import('./tool-kind.mjs').Kind }) => any>}
 */
const DEFINITIONS = {
  call_tool_read: call('only reads', READS),
  call_tool_write: call('creates or changes something', WRITES),
  call_tool_destructive: call('may delete, overwrite or run anything', DESTROYS),
  search_mcps: () => ({
    description: 'Find the MCP servers that fit a need, and their best tools. Attaches nothing.',
    inputSchema: object({ query: { type: 'string' }, top_k: { type: 'integer', default: 5 } }, ['query']),
    annotations: READS,
  }),
  read_result: () => ({
    description: 'Read more of a result that was too long to return whole.',
    inputSchema: object(
      {
        handle: { type: 'string' },
        need: string('Words of the result.'),
        path: string('$.items[3].title'),
        range: string('10-40'),
      },
      ['handle'],
    ),
    annotations: READS,
  }),
  describe_tool: () => ({
    description: 'Returns the input schemas of MCP tools. Use it when a signature is not enough.',
    inputSchema: object({ names: string('Exact tool names, separated by commas.') }, ['names']),
    annotations: READS,
  }),
  [PROGRAM]: ({ programs }) => ({
    ...programTool(PROGRAM),
    annotations: programs === 'read' ? READS : { destructiveHint: programs !== 'write' },
  }),
  mcp_load: ({ servers, isModern }) => ({
    description:
      `${isModern ? 'Find MCP tools. Few tools are listed' : 'Attach more MCP tools. Few tools are listed at first'}; use this ` +
      `before you conclude that a capability is missing. ${serverList(servers)} ` +
      `Returns ${isModern ? 'signatures, and the meta tool that calls each' : 'the tools that you can call next, as signatures'}.`,
    inputSchema: object({ query: string(QUERY) }, ['query']),
    annotations: READS,
    _meta: SHOWN,
  }),
  manage_modules: ({ isModern }) => ({
    description: `Modules are servers, parts of large servers and named groups of tools. list: which there are. load: ${
      isModern
        ? 'the definitions of the core of one, and names of the rest.'
        : 'attach the core of one; the answer names the rest. unload: take it away; the prompt cache is lost.'
    }`,
    inputSchema: modules(
      isModern ? ['list', 'load'] : ['list', 'load', 'unload'],
      'Its name; for list, a server whose parts to list.',
    ),
    annotations: READS,
  }),
  select_mode: ({ isModern }) => ({
    description: `Describe your task; ${
      isModern
        ? 'returns the definitions of the focused tools of the best-fitting mode, and the meta tool that calls each.'
        : 'attaches the focused tools of the best-fitting mode.'
    }`,
    inputSchema: TASK,
    annotations: READS,
  }),
  call_tool: ({ isModern }) => ({
    description: isModern
      ? 'Call any MCP tool by name, with arguments as its definition says. mcp_load finds tools.'
      : 'Call any MCP tool by name, also one that your list of tools does not show yet.',
    inputSchema: CALL,
    _meta: SHOWN,
  }),
  report_missing_capability: ({ isModern }) => ({
    description:
      `Report that the tools you ${isModern ? 'know' : 'have'} cannot do what is missing; other servers are searched. CONTINUE: ` +
      `go on from the checkpoint with the ${isModern ? 'tools in the answer' : 'new tools'}. INCOMPLETE or ` +
      'MAX_REROUTES_EXCEEDED: tell the user what is missing.',
    inputSchema: object(isModern ? { ...SIGNAL, handle: HANDLE } : SIGNAL, ['original_query', 'missing_capability']),
    annotations: READS,
  }),
}

/**
 * The definitions to list, for the servers that there are when a session begins.
 *
 * @param {string[]} names of meta tools
 * @param {string[]} serverNames
 * @param {{ isModern?: boolean, modes?: Map<string, { parameters: Map<string, unknown> }>, programs?: import('./tool-kind.mjs').Kind }} [how]
 * `modes`: those of the configuration; `programs`: the worst that a program may do
 */
export function metaTools(names, serverNames, { isModern = false, modes = new Map(), programs = 'destructive' } = {}) {
  const fixes = isModern && [...modes.values()].some(({ parameters }) => parameters.size > 0)
  return names.map((name) => ({
    name,
    ...DEFINITIONS[name]({ servers: serverNames, isModern, programs }),
    ...(isCall(name) && fixes && { inputSchema: CALL_IN_MODE }),
  }))
}

function serverList(names) {
  let text = 'Servers: '
  for (const [at, name] of names.entries()) {
    const next = `${at === 0 ? '' : ', '}${name}`
    if (text.length + next.length > SERVER_LIST) return `${text} and ${names.length - at} more.`
    text += next
  }
  return names.length === 0 ? '' : `${text}.`
}

/** The parameters of a meta tool, for clients of either era. */
export function parametersOf(name) {
  const of = (isModern) => DEFINITIONS[name]({ servers: [], isModern, programs: 'read' }).inputSchema.properties
  return Object.keys({ ...of(false), ...of(true) })
}
