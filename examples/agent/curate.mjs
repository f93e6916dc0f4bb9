// The other way: each message has a list of its own, of the settings in the agent's files, and what that costs a cache.

import { homedir } from 'node:os'
import path from 'node:path'
import process from 'node:process'

/** What a provider takes for writing to its cache, in base tokens a token: Anthropic's price. */
const WRITE = 1.25
const READ = 0.1

/**
 * Where an agent looks for its files: the user's folder for configuration, and the project. A missing file sets nothing.
 *
 * @param {string} agent the agent's name
 * @param {string} [project] the folder of the project; otherwise the current one
 */
export function curationFiles(agent, project = process.cwd()) {
  const { APPDATA, XDG_CONFIG_HOME } = process.env
  const user = (process.platform === 'win32' && APPDATA) || XDG_CONFIG_HOME || path.join(homedir(), '.config')
  return { globalPath: path.join(user, agent, 'config.toml'), projectPath: path.join(project, `.${agent}.toml`) }
}

/**
 * Curates each message from the whole list: what is kept keeps its order, and functions that are not of MCP stay in front.
 *
 * @param {import('../../index.js').ToolRouter} router
 * @param {{ name: string, description: string }[]} functions all that the host has
 * @param {string[]} messages
 * @param {number} conversation tokens of what stands behind the list
 * @returns {Promise<{ message: string, kept: string[], isSame: boolean, base: number }[]>} what goes with each message,
 * whether the list is the one before, and what that costs for the conversation in base tokens
 */
export async function curateEach(router, functions, messages, conversation) {
  const all = []
  for (const message of messages) {
    const { kept } = await router.curate(functions, message)
    const names = kept.map(({ name }) => name)
    const isSame = JSON.stringify(names) === JSON.stringify(all.at(-1)?.kept)
    all.push({ message, kept: names, isSame, base: conversation * (isSame ? READ : WRITE) })
  }
  return all
}
