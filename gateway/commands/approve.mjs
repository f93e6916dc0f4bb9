// SPDX-License-Identifier: Apache-2.0
//
// zoo-tool-router approve: which tools have changed and are withheld, and their acceptance. A gateway that runs sees it
// within a second.

import { Approvals, isSkillName, KEPT } from '../approvals.mjs'
import { readConfigFile } from '../config/read.mjs'
import { plain } from '../errors.mjs'
import { openStore } from '../store/store.mjs'

/** Behind a name, what was printed with it: only that text is accepted. */
const HASH = /#([\w-]{43})$/

/**
 * @param {{ config: string, workspace?: string, all?: boolean }} values
 * @param {string | undefined} name a server, `server/tool`, or `server/tool#hash` as this prints it
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
  const read = HASH.exec(name ?? '')?.[1]
  const meantName = read === undefined ? name : name?.slice(0, -read.length - 1)
  const isMeant = ({ definition, tool, hash }) =>
    (meantName === definition.name || meantName === `${definition.name}/${tool}`) &&
    (read === undefined || hash === read)
  const meant = name === undefined ? found : found.filter(isMeant)
  if (meant.length === 0) {
    print(name === undefined ? 'No tool waits for an approval.' : `Nothing of ${plain(name)} waits for an approval.`)
    return name === undefined ? 0 : 1
  }
  const approves = all || name !== undefined
  for (const { definition, tool, was, is, hash } of meant) {
    // By the text that is printed: one that has come since waits on.
    const isDone = approves && (await approvals.approve(definition, tool, hash)).length > 0
    print(`${isDone ? 'approved ' : ''}${plain(`${definition.name}/${tool}`)}`)
    const others = isSkillName(tool) ? 'the rest of its entry or its files' : 'its title, parameters or annotations'
    if (was === is && is.length < KEPT) print(`  ${others} have changed; its description has not`)
    else if (was === is)
      print(`  ${others} have changed, or its description behind its first ${KEPT} characters, which are the same`)
    else
      for (const [when, text] of [
        ['was', was],
        ['is', is],
      ])
        print(`  ${when}: ${plain(text, KEPT) || '(nothing)'}`)
    if (!isDone) print(`  hash: ${hash}`)
  }
  if (!approves) print(`Approve with: zoo-tool-router approve <server>/<tool>#<hash> --config ${file}`)
  return 0
}
