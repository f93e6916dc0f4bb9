// What settings of Claude Code and Zed say about tools of servers: which they call without asking, which never, and which only
// after a question.

import { readFile } from '../config/file.mjs'
import { matching } from '../config/patterns.mjs'
import { fold } from '../base/near.mjs'

/** What Zed calls what Claude Code calls so. */
const OF_ZED = { allow: 'allow', deny: 'deny', confirm: 'ask' }

/** `mcp__server__tool`, or `mcp__server` for all of it. What stands in brackets is no part of such a rule. */
const RULE = /^mcp__([^()]+?)(?:__([^()]+?)(?:\(.*\))?)?$/s
/** `mcp:server:tool`. */
const RULE_OF_ZED = /^mcp:([^:]+):(.+)$/s

/** @typedef {{ server: string, tool?: string }} Rule without a tool it is about all of the server's */

export class Permissions {
  /** @type {Record<'allow' | 'deny' | 'ask', Rule[]>} */
  #rules = { allow: [], deny: [], ask: [] }
  /** Servers of projects that are switched off. */
  disabled

  /** @param {string[]} files settings of either client. One that cannot be read says nothing */
  constructor(files) {
    /** @type {any[]} what some client wrote */
    const all = files.flatMap((file) => {
      try {
        return [readFile(file)]
      } catch {
        return []
      }
    })
    const lists = (pick) => all.map(pick).filter(Array.isArray).flat()
    this.disabled = lists((settings) => settings?.disabledMcpjsonServers)
    for (const does of /** @type {const} */ (['allow', 'deny', 'ask']))
      this.#rules[does] = lists((settings) => settings?.permissions?.[does]).flatMap((rule) => ruleOf(RULE, rule))
    for (const settings of all)
      for (const [name, its] of Object.entries(settings?.agent?.tool_permissions?.tools ?? {}))
        if (Object.hasOwn(OF_ZED, its?.default)) this.#rules[OF_ZED[its.default]].push(...ruleOf(RULE_OF_ZED, name))
  }

  /** Tools of a server that are called without asking. A rule for a whole server, or with `*`, names none. */
  allowed(name) {
    return this.#tools('allow', name).filter((tool) => !tool.includes('*'))
  }

  /**
   * Tools of a server that are never called, `*` among them where they are all. A rule is about a name, so it holds for each
   * server of that name, whichever client has it: behind the gateway the same person asks.
   */
  denied(name) {
    return this.#tools('deny', name)
  }

  /** Tools of a server whose user is asked before each call, in the same way. */
  asked(name) {
    return this.#tools('ask', name)
  }

  #tools(does, name) {
    // A server's name has other characters for spaces and dots there.
    const spelt = name.replaceAll(/[^\w-]/g, '_')
    const isMeant = ({ server }) =>
      server === name || fold(server) === fold(name) || matching([server], [spelt]).includes(spelt)
    const rules = this.#rules[does].filter(isMeant)
    return [...new Set(rules.map(({ tool }) => tool ?? '*'))]
  }
}

function ruleOf(pattern, rule) {
  const [, server, tool] = pattern.exec(String(rule)) ?? []
  return server === undefined ? [] : [{ server, tool }]
}
