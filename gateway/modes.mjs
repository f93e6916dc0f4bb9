// SPDX-License-Identifier: Apache-2.0
//
// select_mode: from the description of a task to the mode that suits it, and to that mode's focused tools.

import { modulesOf, toolsOf } from './modules.mjs'
import { rankServers } from './rank-servers.mjs'
import { describe } from './rendering.mjs'

/** How wide the set of tools is, in parts of `focusK`: from 10 tools of 12 to 15. */
const WIDTH = { exploring: 1.25, low: 1.15, medium: 1, high: 0.85 }
/** Parts of a file's path that say something: its folder and its name. */
const TOLD_PARTS = 2

/**
 * @param {import('./protocol/client-session.mjs').ClientSession} session
 * @param {{ task: string, confidence: keyof typeof WIDTH, files: string[] }} request
 */
export async function selectMode(session, { task, confidence, files }) {
  const query = withFiles(task, files)
  const mode = (await chosenMode(session, query)) ?? (await bestServer(session, query))
  if (mode === undefined) {
    return {
      selected_mode: null,
      reasoning: 'No server has a tool that speaks of this task.',
      next_step: 'Describe the task in other words, or see manage_modules with action list.',
    }
  }
  const most = Math.max(1, Math.round(session.config.settings.focusK * WIDTH[confidence]))
  const tools = await focusedTools(session, mode, query, most)
  const { added, already, overLimit } = session.attach(tools)
  const names = [...added, ...already]
  return {
    selected_mode: mode.name,
    reasoning: mode.reasoning,
    tools: describe(session, names),
    next_step:
      names.length === 0
        ? 'It has no tools now; use mcp_load.'
        : `Call one of its tools: ${names.slice(0, 3).join(', ')}`,
    ...(overLimit.length > 0 && { over_limit: overLimit }),
  }
}

/** Files are never opened; the ends of their paths are words like others. */
function withFiles(task, files) {
  const words = files.map((file) => file.split(/[\\/]/).filter(Boolean).slice(-TOLD_PARTS).join(' '))
  return [task, ...new Set(words)].join('\n')
}

/** The mode of the configuration that suits best; undefined when there are none. */
async function chosenMode({ config, router }, query) {
  const modes = [...config.modes.values()]
  if (modes.length === 0) return undefined
  const texts = modes.map(({ name, description, examples }) => ({ name, text: [description, ...examples].join('. ') }))
  const { texts: ranked } = await router.rankTexts(query, texts)
  const best = ranked.find(({ supported }) => supported) ?? ranked[0]
  const mode = config.modes.get(best.name)
  const reasoning = best.supported
    ? `Of ${modes.length} modes, ${mode.name} suits the task best.`
    : `Nothing in the task matches a mode; ${mode.name} is the nearest of ${modes.length}.`
  return { ...mode, reasoning }
}

/** The best server as a mode of its own. */
async function bestServer({ router, catalogue }, query) {
  const servers = catalogue.serverNames
  const [best] = await rankServers(router, query, { topK: 1, servers })
  if (best === undefined) return undefined
  const { serverName: name } = best
  return {
    name,
    servers: [name],
    modules: [],
    tools: [],
    reasoning: `Of ${servers.length} servers, ${name} suits the task best.`,
  }
}

/** What the mode names, then the tools of its servers that suit the task, up to `most`. */
async function focusedTools(session, mode, query, most) {
  const { catalogue, router } = session
  const ofModules = modulesOf(session).filter(({ name }) => mode.modules.includes(name))
  const named = toolsOf(session, { servers: [], tools: [...mode.tools, ...ofModules.flatMap(({ tools }) => tools)] })
  const servers = [...new Set([...mode.servers, ...ofModules.flatMap((module) => module.servers)])]
  if (servers.length === 0 || named.length >= most) return named
  const known = new Set(named.map(({ name }) => name))
  const { tools } = await router.rank(query, { servers, topK: most + known.size })
  const ranked = tools.map((tool) => catalogue.tool(tool)).filter((tool) => tool && !known.has(tool.name))
  return [...named, ...ranked.slice(0, most - named.length)]
}
