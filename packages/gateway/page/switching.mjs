// Switches servers and tools off and on from the page: in the configuration file, which is then read again. It stays so, and a person
// can see and undo it there.

import fs from 'node:fs/promises'

import { plain } from '../base/errors.mjs'
import { replaceText } from '../base/replace-file.mjs'
import { NotSwitched, switched } from '../config/switching.mjs'
import { Refused, textOf } from './replies.mjs'

/** Characters of a name. */
const NAME = 1_000
/** One edit after the other: none takes back what another has written. @type {Promise<void>} */
let writing = Promise.resolve()

/**
 * Whether the page can write the file: it is JSON, and this is the gateway of all of it.
 *
 * @param {import('../activity/activity.mjs').Gateway} gateway
 */
export function canSwitch({ configFile, config }) {
  return configFile !== undefined && /\.jsonc?$/i.test(configFile) && config.profile === undefined
}

/** @param {import('../activity/activity.mjs').Gateway} gateway @param {Record<string, unknown>} asked */
export async function switchIt(gateway, asked) {
  const { configFile, reloader } = gateway
  if (!canSwitch(gateway) || configFile === undefined || reloader === undefined)
    throw new Refused(400, 'this gateway has no file of JSON that it could write; switch it where its configuration is')
  const server = textOf(asked.server, 'server', NAME)
  const tool = asked.tool === undefined ? undefined : textOf(asked.tool, 'tool', NAME)
  if (typeof asked.on !== 'boolean') throw new Refused(400, 'on: expected true or false')
  const edit = writing.then(async () => {
    const text = await fs.readFile(configFile, 'utf8')
    const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
    await write(configFile, mark + edited(text.slice(mark.length), { server, tool, isOn: asked.on }))
  })
  writing = edit.catch(() => {})
  await edit
  const what = tool === undefined ? `server ${server}` : `tool ${server}/${tool}`
  gateway.log(`${plain(what, NAME)} was switched ${asked.on ? 'on' : 'off'} from the page`)
  return reloader.reload()
}

function edited(text, wanted) {
  try {
    return switched(text, wanted)
  } catch (error) {
    throw error instanceof NotSwitched ? new Refused(409, error.message) : error
  }
}

/** Whose file it is and who may read it stays. */
async function write(file, text) {
  const place = await fs.realpath(file)
  try {
    await replaceText(place, text, await fs.stat(place))
  } catch (error) {
    throw new Refused(
      409,
      `the file cannot be written (${plain(String(error.code ?? error.name), 60)}); change it by hand`,
    )
  }
}
