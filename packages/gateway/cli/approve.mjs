// tool-router-gateway approve: which tools have changed and are withheld, what they say now, and their acceptance. What is accepted
// is what was shown. A gateway that runs sees it within a second.

import { ToolRouter } from '@zoo-code/tool-router/internal'
import { parse } from '@zoo-code/tool-router/exact-json'
import { Approvals, findingsIn, isPromptName } from '../store/approvals.mjs'
import { readConfigFile } from '../config/read.mjs'
import { commandLine, isNamed, nameWord } from '../base/command-line.mjs'
import { plain } from '../base/errors.mjs'
import { shownText } from '../base/shown-text.mjs'
import { openStore } from '../store/store.mjs'
import { rowOfCommand } from './audit.mjs'

/** Behind a name, what was printed with it: only that text is accepted. */
const HASH = /#([\w-]{43})$/
/** Characters of a text that stand before and behind what differs in it. */
const AROUND = 60
/** Characters of one text. */
const MOST = 262_144

/**
 * @param {{ config: string, workspace?: string, all?: boolean }} values `all`: what is shown is accepted, too
 * @param {string | undefined} name a server, `server/tool`, or `server/tool#hash` as this prints it; also the hash of a name
 * @param {(line: string) => void} print
 * @returns {Promise<number>} exit code: 1 when the name means nothing that waits, or something is not accepted that was meant
 */
export async function runApprove({ config: file, workspace, all = false }, name, print) {
  const { servers, settings } = readConfigFile(file, workspace === undefined ? {} : { workspace })
  const store = await openStore(settings)
  try {
    const { acted } = rowOfCommand(store)
    return await report(new Approvals(store), servers, { all, acted }, name, print)
  } finally {
    await store.close()
  }
}

async function report(approvals, servers, { all, acted }, name, print) {
  const found = []
  for (const definition of servers.values())
    for (const waiting of await approvals.waiting(definition)) found.push({ server: definition, ...waiting })
  const read = HASH.exec(name ?? '')?.[1]
  const meantName = read === undefined ? name : name?.slice(0, -read.length - 1)
  const isMeant = ({ server, tool, hash }) =>
    [server.name, `${server.name}/${tool}`].some((each) => isNamed(String(meantName), each)) &&
    (read === undefined || hash === read)
  const meant = name === undefined ? found : found.filter(isMeant)
  if (meant.length === 0) {
    print(name === undefined ? 'No tool waits for an approval.' : `Nothing of ${plain(name)} waits for an approval.`)
    return name === undefined ? 0 : 1
  }
  const findings = await findingsOf(meant)
  const approves = all || read !== undefined
  let isLate = false
  for (const waiting of meant) {
    const { server, tool, hash } = waiting
    const called = plain(`${server.name}/${tool}`, MOST)
    print(called)
    for (const line of linesOf(waiting, findings.get(waiting) ?? [])) print(`  ${line}`)
    // By the text that is printed: one that has come since waits on.
    if (!approves) {
      const word = `${nameWord(`${server.name}/${tool}`)}#${hash}`
      print(`  to accept this text: ${commandLine(['approve', word], server.from)}`)
    } else if ((await approvals.approve(server, tool, hash)).length > 0) {
      acted(server.name, `approve ${tool}`)
      print(`approved ${called}`)
    } else {
      print(`not approved ${called}: its text has changed again, or it was approved elsewhere; look at it again`)
      isLate = true
    }
  }
  return isLate ? 1 : 0
}

/** What the shield says about texts that wait, as the log and the page have it. */
async function findingsOf(all) {
  const found = new Map()
  const router = ToolRouter.shared()
  for (const waiting of all) {
    const { server, tool, definition } = waiting
    const listed = definition ? { ...parse(definition), name: tool } : undefined
    const ofList = listed ? await router.checkTool(server.name, listed).catch(() => []) : []
    found.set(waiting, [...new Set((await findingsIn(router, waiting, ofList)).map(nameOf))])
  }
  return found
}

const nameOf = ({ severity, code }) => `${severity}: ${code}`

function linesOf({ server, tool, parts, more, isWhole }, findings) {
  const text = (value) =>
    value === undefined
      ? isWhole
        ? '(not there)'
        : '(not there, or not kept)'
      : shownText(value, MOST, server).replaceAll('\n', '⏎') || '(nothing)'
  const lines = parts.flatMap(({ at, was, is }) => {
    const [before, after] = cut(was, is)
    return [`${shownText(at, MOST, server) || 'the whole'}`, `  was: ${text(before)}`, `  is: ${text(after)}`]
  })
  if (more > 0) lines.push(`and ${more} parts more`)
  if (!isWhole) lines.push(`${WHAT(tool)} was kept in part only: more may have changed than is shown here`)
  return [...lines, ...findings]
}

const WHAT = (tool) => (isPromptName(tool) ? 'the prompt' : 'the tool')

/** Long texts without what they begin and end with alike. */
function cut(was, is) {
  if (was === undefined || is === undefined) return [was, is]
  const least = Math.min(was.length, is.length)
  let [from, behind] = [0, 0]
  while (from < least && was[from] === is[from]) from += 1
  while (behind < least - from && was.at(-1 - behind) === is.at(-1 - behind)) behind += 1
  const start = Math.max(0, from - AROUND)
  const left = (value) => {
    const end = Math.min(value.length, value.length - behind + AROUND)
    return `${start > 0 ? '… ' : ''}${value.slice(start, end)}${end < value.length ? ' …' : ''}`
  }
  return [left(was), left(is)]
}
