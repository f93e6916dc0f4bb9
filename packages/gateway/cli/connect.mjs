// tool-router-gateway connect: one gateway for all windows. Each client starts this instead of a gateway; it passes messages to
// the gateway that runs, and starts it when none does.

import { fileURLToPath } from 'node:url'

import { readConfigFile } from '../config/read.mjs'
import { StdioTransport } from '../http/stdio.mjs'
import { Bridge } from '../shared/bridge.mjs'
import { attend, meetingFolder, reachShared } from '../shared/meeting.mjs'
import { given, onlyGiven } from '../base/values.mjs'

const CLI = fileURLToPath(new URL('../cli.mjs', import.meta.url))

/**
 * @param {{ config: string, workspace?: string, profile?: string, modes?: string, lexical?: boolean,
 * verbose?: boolean }} values
 * @param {string} version
 * @param {{ onEnd: () => void, say: (line: string) => void }} events
 * @returns {Promise<{ close: () => Promise<void> }>} when the client is served
 */
export async function runConnect(values, version, { onEnd, say }) {
  const { config, workspace, profile, modes, lexical, verbose } = values
  const where = { workspace, profile, modes }
  // A file that cannot be read is told here, where the client shows it.
  const { settings } = readConfigFile(config, onlyGiven(where))
  const folder = meetingFolder(values, version)
  const command = [
    ...[CLI, 'gateway', '--config', config],
    ...given(where).flatMap(({ name, value }) => [`--${name}`, value]),
    ...(lexical ? ['--lexical'] : []),
    ...(verbose ? ['--verbose'] : []),
  ]
  const leave = attend(folder)
  const transport = new StdioTransport({ maxBytes: settings.maxMessageBytes })
  const bridge = new Bridge(transport, () => reachShared(folder, command))
  const close = async () => {
    leave()
    await bridge.close()
  }
  transport.onclose = onEnd
  transport.onerror = ({ message }) => say(message)
  try {
    await bridge.open()
  } catch (error) {
    leave()
    throw error
  }
  return { close }
}
