// Modules: each server is one, each named group of the configuration, and each part of a large server, as the router's core
// divides it. Loading attaches the core of a server or part, and all tools that a group names; unloading takes them away,
// at the price of the prompt cache.

import { invalid, plain } from '../base/errors.mjs'
import { describe, SUMMARY } from '../listing/rendering.mjs'
import { isDown, whyUnavailable } from '../listing/unavailable.mjs'

/** Parts of the same name that an error names, and words of one name that are read. */
const MAX_NEAR = 5
const MAX_WORDS = 5
/** Modules in one answer: more would cost what they are there to save. */
const MAX_LISTED = 100

/** All modules, groups of the configuration first. */
export function modulesOf({ config, catalogue }) {
  const groups = [...config.modules.values()].map((group) => ({ ...group, kind: 'group' }))
  const servers = [...catalogue.entries.values()].map(({ definition: { name, description, essential } }) => ({
    name,
    description,
    essential,
    kind: 'server',
    servers: [name],
    tools: [],
  }))
  return [...groups, ...servers]
}

/** The parts of large servers, by server. */
async function partsOf({ router, catalogue }) {
  const parts = new Map()
  const listed = [...catalogue.entries.values()].filter(({ providerNames }) => providerNames.size > 0)
  const servers = catalogue.scopeOf(listed.map(({ definition }) => definition.name))
  for (const part of await router.listModules({ servers })) {
    if (!parts.has(part.serverName)) parts.set(part.serverName, [])
    parts
      .get(part.serverName)
      .push({ name: part.name, description: part.description, kind: 'part', servers: [], tools: part.tools })
  }
  return parts
}

/** Tools of a module that are in scope, single tools first, each once. */
export function toolsOf({ catalogue }, { servers, tools }) {
  const found = new Map()
  const add = (id) => {
    const tool = catalogue.tool(id)
    if (tool) found.set(tool.name, tool)
  }
  for (const id of tools) add(id)
  for (const serverName of servers) {
    for (const toolName of catalogue.entries.get(serverName)?.names.keys() ?? []) add({ serverName, toolName })
  }
  return [...found.values()]
}

async function moduleNamed(session, name) {
  const found = modulesOf(session).find((module) => module.name === name)
  if (found) return found
  for (const parts of (await partsOf(session)).values()) {
    const part = parts.find((each) => each.name === name)
    if (part) return part
  }
  const spoken = partsAbout(session, name)
  if (spoken.length === 1) return spoken[0]
  const near = spoken.slice(0, MAX_NEAR).map((part) => part.name)
  const expected = 'a module that action list names'
  throw invalid('manage_modules.module', near.length > 0 ? `${expected}; near: ${near.join(', ')}` : expected, name)
}

/** The words of a name, each in the singular. */
function wordsOf(name) {
  const apart = name.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').toLowerCase()
  return (apart.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(/s$/, ''))
}

/**
 * Parts as people call them, of servers whose tools have a word in their names: `network`, or `browser/network` for one server.
 * The router knows them by the second form.
 */
function partsAbout({ catalogue }, name) {
  const [thing, of] = name.split('/').toReversed()
  const wanted = wordsOf(thing ?? '')
  if (wanted.length === 0 || wanted.length > MAX_WORDS) return []
  return [...catalogue.entries].flatMap(([server, { names }]) => {
    if (of !== undefined && of !== server) return []
    const speaks = (tool) => {
      const own = wordsOf(tool)
      return wanted.every((word) => own.includes(word))
    }
    const tools = [...names.keys()].filter(speaks).map((toolName) => ({ serverName: server, toolName }))
    return tools.length > 0 ? [{ name: `${server}/${thing}`, kind: 'part', servers: [], tools }] : []
  })
}

export async function listModules(session, name) {
  if (name !== undefined) return listParts(session, name)
  const { catalogue, router, attached } = session
  const modules = modulesOf(session)
  const parts = await partsOf(session)
  const { servers } = await router.contextUsage({}, { servers: catalogue.scopeOf() })
  const tokens = new Map(servers.map((server) => [server.name, server.tokens]))
  const listed = modules.slice(0, MAX_LISTED).map((module) => {
    const tools = toolsOf(session, module)
    const loaded = tools.filter(({ name }) => attached.has(name)).length
    const entry = module.kind === 'server' ? catalogue.entries.get(module.name) : undefined
    return {
      module: module.name,
      kind: module.kind,
      ...(module.description && { description: plain(module.description, SUMMARY) }),
      tools: tools.length,
      loaded,
      ...(module.kind === 'server' && { tokens: tokens.get(module.name) ?? 0 }),
      ...(module.kind === 'server' &&
        parts.has(module.name) && { parts: parts.get(module.name).map((part) => part.name) }),
      ...(module.essential && { essential: true }),
      // Tools that are left out since others have their names.
      ...(entry && entry.refused.length > 0 && { refused: entry.refused.slice(0, MAX_LISTED) }),
      ...(entry?.list?.cut && { list_cut: `${entry.list.cut}; its other tools are not known` }),
      ...(entry && isDown(entry.downstream) && { state: 'unavailable', reason: entry.downstream.reason }),
    }
  })
  const { leftOut, notes } = session.config
  return {
    modules: listed,
    ...(modules.length > MAX_LISTED && { not_shown: modules.length - MAX_LISTED }),
    // Of the configuration: somebody has to mend it.
    ...(leftOut.length > 0 && { left_out: leftOut.slice(0, MAX_LISTED) }),
    ...(notes.length > 0 && { notes: notes.slice(0, MAX_LISTED) }),
  }
}

/** The parts of one server, with a line each. */
async function listParts(session, name) {
  if (!session.catalogue.entries.has(name))
    throw invalid('manage_modules.module', 'a server that action list names, or nothing', name)
  const parts = (await partsOf(session)).get(name) ?? []
  return {
    modules: parts.map((part) => {
      const tools = toolsOf(session, part)
      return {
        module: part.name,
        kind: part.kind,
        description: plain(part.description, SUMMARY),
        tools: tools.length,
        loaded: tools.filter((tool) => session.attached.has(tool.name)).length,
      }
    }),
    ...(parts.length === 0 && { note: 'It has few tools and no parts; load it by its own name.' }),
  }
}

export async function loadModule(session, name) {
  const module = await moduleNamed(session, name)
  // A group names its tools one by one; of servers and parts the router knows what their other tools need first.
  const named = module.kind === 'group' ? toolsOf(session, { servers: [], tools: module.tools }) : []
  const cores = await Promise.all(
    (module.kind === 'part' ? [module.name] : module.servers).map((each) => coreOf(session, each)),
  )
  const { added, already, overLimit } = session.attach([...named, ...cores.flatMap(({ tools }) => tools)], {
    by: `manage_modules: ${name}`,
  })
  const described = describe(session, added)
  const others = cores.flatMap((core) => core.others)
  const parts = cores.flatMap((core) => core.parts)
  const left = overLimit.length + cores.reduce((sum, core) => sum + core.overLimit, 0)
  return {
    module: name,
    // Where the list holds the descriptions they need not be told twice.
    ...(session.isModern
      ? { loaded: described }
      : { loaded: described.map(({ description, ...tool }) => tool), already_loaded: already.length }),
    ...(others.length > 0 && { others, others_by: 'mcp_load with their names, or with what you want to do' }),
    ...(parts.length > 0 && { parts, parts_by: 'load one by its name' }),
    ...(await whyUnavailable(session, module.servers)),
    ...(left > 0 && {
      over_limit: left,
      hint: 'the list is full; unload a module, or use call_tool',
    }),
  }
}

/** What is worth having first of a server or part, and how the rest of it is called. */
async function coreOf(session, name) {
  const { catalogue, search } = session
  const { loaded, alreadyAttached, others, modules, unavailable } = await search.load(name)
  const tools = [...alreadyAttached.map((each) => catalogue.find(each)), ...loaded.map((each) => catalogue.tool(each))]
  return {
    tools: tools.filter(Boolean),
    others,
    overLimit: unavailable.filter(({ reason }) => reason === 'over-limit').length,
    parts: modules.map(({ name: part, description }) => ({ module: part, description: plain(description, SUMMARY) })),
  }
}

export async function unloadModule(session, name) {
  const module = await moduleNamed(session, name)
  if (session.isModern) throw invalid('manage_modules.action', 'list or load: nothing is loaded for good', 'unload')
  if (module.essential) throw invalid('manage_modules.module', 'a module that is not essential', name)
  const names = toolsOf(session, module).map((tool) => tool.name)
  // Also tools that the server has stopped offering: they would come back with it.
  const hidden = [...session.attached]
    .filter(([, { serverName }]) => module.servers.includes(serverName))
    .map(([tool]) => tool)
  const unloaded = session.detach([...new Set([...names, ...hidden])])
  const kept = names.filter((tool) => session.attached.has(tool))
  return {
    module: name,
    unloaded,
    ...(kept.length > 0 && { kept, why_kept: 'they are essential' }),
    note:
      unloaded.length > 0
        ? 'The list of tools got shorter: the prompt cache of this conversation is lost.'
        : 'It was not loaded; nothing changed.',
  }
}
