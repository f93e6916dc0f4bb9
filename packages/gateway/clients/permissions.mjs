// What Claude Code's settings say about tools of servers: which it calls without asking, and which never.

import { readFile } from '../config/file.mjs'
import { matching } from '../config/patterns.mjs'
import { fold } from '../base/near.mjs'

export class Permissions {
  #allowed
  #denied
  /** Servers of projects that are switched off. */
  disabled

  /** @param {string[]} files settings of Claude Code. One that cannot be read says nothing */
  constructor(files) {
    const all = files.flatMap((file) => {
      try {
        return [readFile(file)]
      } catch {
        return []
      }
    })
    const lists = (pick) => all.map(pick).filter(Array.isArray).flat()
    this.disabled = lists((settings) => settings?.disabledMcpjsonServers)
    this.#allowed = lists((settings) => settings?.permissions?.allow).flatMap(ruleOf)
    this.#denied = lists((settings) => settings?.permissions?.deny).flatMap(ruleOf)
  }

  /** Tools of a server that are called without asking. A rule for a whole server, or with `*`, names none. */
  allowed(name) {
    return toolsOf(this.#allowed, name).filter((tool) => tool !== undefined && !tool.includes('*'))
  }

  /**
   * Tools of a server that are never called, `*` among them where they are all. A rule is about a name, so it holds for each
   * server of that name, whichever client has it: behind the gateway the same person asks.
   */
  denied(name) {
    return [...new Set(toolsOf(this.#denied, name).map((tool) => tool ?? '*'))]
  }
}

/** `mcp__server__tool`, or `mcp__server` for all of it. */
function ruleOf(rule) {
  const [, server, tool] = /^mcp__(.+?)(?:__(.+?))?(?:\(.*\))?$/s.exec(String(rule)) ?? []
  return server === undefined ? [] : [{ server, tool }]
}

function toolsOf(rules, name) {
  // A server's name has other characters for spaces and dots there.
  const spelt = name.replaceAll(/[^\w-]/g, '_')
  const isMeant = ({ server }) =>
    server === name || fold(server) === fold(name) || matching([server], [spelt]).includes(spelt)
  return rules.filter(isMeant).map(({ tool }) => tool)
}
