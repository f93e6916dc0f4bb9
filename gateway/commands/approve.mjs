// SPDX-License-Identifier: Apache-2.0
//
// zoo-tool-router approve: which tools have changed and are withheld, and their acceptance. A gateway that runs sees it
// within a second.

import { Approvals, isSkillName } from '../approvals.mjs'
import { readConfigFile } from '../config/read.mjs'
import { plain } from '../errors.mjs'
import { openStore } from '../store/store.mjs'

/** Characters of a description in the report. */
const SHOWN = 300

/**
 * @param {{ config: string, workspace?: string, all?: boolean }} values
 * @param {string | undefined} name a server, or `server/tool`
 * @param {(line: string) => void} print
 * @returns {Promise<number>} exit code: 1 when the name means nothing that waits
 */
export async function runApprove({ config: file, workspace, all }, name, print) {
  const { servers, settings } = readConfigFile(file, workspace === undefined ? {} : { workspace })
  const store = await openStore(settings)
  try {
    return await report(new Approvals(store), servers, { file, all }, name, print)
  } finally {
    await store.close()
  }
}

async function report(approvals, servers, { file, all }, name, print) {
  const found = []
  for (const definition of servers.values())
    for (const waiting of await approvals.waiting(definition)) found.push({ definition, ...waiting })
  const isMeant = ({ definition, tool }) => name === definition.name || name === `${definition.name}/${tool}`
  const meant = name === undefined ? found : found.filter(isMeant)
  if (meant.length === 0) {
    print(name === undefined ? 'No tool waits for an approval.' : `Nothing of ${plain(name)} waits for an approval.`)
    return name === undefined ? 0 : 1
  }
  const approves = all || name !== undefined
  for (const { definition, tool, was, is } of meant) {
    if (approves) await approvals.approve(definition, tool)
    print(`${approves ? 'approved ' : ''}${plain(`${definition.name}/${tool}`)}`)
    const others = isSkillName(tool) ? 'the rest of its entry or its files' : 'its title, parameters or annotations'
    if (was === is) print(`  ${others} have changed; its description has not`)
    else
      for (const [when, text] of [
        ['was', was],
        ['is', is],
      ])
        print(`  ${when}: ${plain(text, SHOWN) || '(nothing)'}`)
  }
  if (!approves) print(`Approve with: zoo-tool-router approve <server>/<tool> --config ${file}`)
  return 0
}
