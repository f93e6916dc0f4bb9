// The catalogue, a page of it at a time, and one tool of it.

import { stringify } from '@zoo-code/tool-router/exact-json'

import { plain } from '../base/errors.mjs'
import { KINDS, kindOf } from '../names/tool-kind.mjs'
import { ordered } from './order.mjs'
import { Refused } from './replies.mjs'
import { entryNamed } from './servers.mjs'
import { shownText } from '../base/shown-text.mjs'
import { countAll, countTools, sumOf, tokensOf } from './tokens.mjs'

/** Tools in one answer. */
const PAGE = 100
/** Characters of a filter. */
const MAX_FILTER = 200
/** Characters of what is shown of a tool, in the list and by itself. */
const SUMMARY = 200
const NAME = 120
const WHOLE = 16_000
const EXCERPT = 200

/** Which tools are listed. */
const ONLY = {
  all: () => true,
  on: ({ entry, tool }) => entry.names.has(tool.name),
  off: ({ entry, tool }) => !entry.names.has(tool.name),
  findings: ({ entry, tool }) => entry.findings.has(tool.name),
}

const SEVERITIES = ['low', 'medium', 'high']

/** What each column sorts by: the worst of a kind is the greatest. */
const COLUMNS = {
  tool: ({ tool }) => tool.name,
  server: ({ entry }) => entry.definition.name,
  kind: ({ entry, tool }) => KINDS.indexOf(kindOf(tool, entry.kinds)),
  tokens: ({ tool }) => tokensOf(tool),
  findings: ({ entry, tool }) =>
    Math.max(-1, ...(entry.findings.get(tool.name) ?? []).map(({ severity }) => SEVERITIES.indexOf(severity))),
}

/** @param {import('../activity/activity.mjs').Gateway} gateway @param {URLSearchParams} asked */
export function tools(gateway, asked) {
  const [text, server, only] = ['text', 'server', 'only'].map((name) => asked.get(name) ?? '')
  const from = Number(asked.get('from') ?? 0)
  if (text.length > MAX_FILTER) throw new Refused(400, `text: expected at most ${MAX_FILTER} characters`)
  if (!Number.isSafeInteger(from) || from < 0) throw new Refused(400, 'from: expected a number from 0')
  const isWanted = Object.hasOwn(ONLY, only || 'all') ? ONLY[only || 'all'] : undefined
  if (!isWanted) throw new Refused(400, `only: expected one of ${Object.keys(ONLY).join(', ')}`)
  countAll(gateway)
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const all = [...gateway.catalogue.entries.values()].flatMap((entry) =>
    [...entry.tools.values()].map((tool) => ({ entry, tool })),
  )
  const matches = ({ entry, tool }) => {
    if (server !== '' && entry.definition.name !== server) return false
    if (words.length === 0) return true
    const searched = `${entry.definition.name} ${tool.name} ${tool.title ?? ''} ${tool.description ?? ''}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  }
  const wanted = all.filter((each) => isWanted(each) && matches(each))
  const found = ordered(wanted, asked, COLUMNS)
  return {
    total: all.length,
    matched: found.length,
    from,
    page: PAGE,
    tokens: sumOf(found.map(({ tool }) => tool)),
    tools: found.slice(from, from + PAGE).map(rowOf),
  }
}

function rowOf({ entry, tool }) {
  const { definition } = entry
  return {
    server: definition.name,
    tool: tool.name,
    name: plain(entry.names.get(tool.name) ?? tool.name, NAME),
    description: shownText(descriptionOf(definition, tool), SUMMARY, definition),
    tokens: tokensOf(tool) ?? null,
    kind: kindOf(tool, entry.kinds),
    findings: (entry.findings.get(tool.name) ?? []).map(({ code, severity }) => ({ code, severity })),
    ...offOf(entry, tool),
  }
}

const WITHHELD = {
  changed: 'it has changed and waits for an approval',
  new: 'it came later than the others of its server and waits for an approval',
  suspicious: 'the shield finds something in it, and it waits for an approval',
  unchecked: 'the database is out of reach, so it cannot be compared with what was accepted',
  'not-read-only': 'it is not known to only read',
  reserved: 'the gateway uses its name for itself',
}

/** Why a tool is off. */
function offOf({ names, withheld, refused }, { name }) {
  if (names.has(name)) return {}
  const reason = withheld.get(name)
  if (reason !== undefined) return { off: WITHHELD[reason] }
  if (refused.some(({ tool }) => tool === name)) return { off: 'another tool has its name' }
  return { off: 'the configuration switches it off', byFile: true }
}

const descriptionOf = ({ toolDescriptionOverrides }, tool) =>
  toolDescriptionOverrides.get(tool.name) ?? tool.description ?? ''

/** One tool, with what the shield found in it. @param {import('../activity/activity.mjs').Gateway} gateway @param {URLSearchParams} asked */
export async function tool(gateway, asked) {
  const entry = entryNamed(gateway, asked.get('server'))
  const found = entry.tools.get(asked.get('tool') ?? '')
  if (!found) throw new Refused(404, 'there is no tool of this name; the list may have changed')
  const { definition } = entry
  await countTools(gateway, [entry])
  return {
    ...rowOf({ entry, tool: found }),
    title: shownText(found.title, NAME, definition),
    description: shownText(descriptionOf(definition, found), WHOLE, definition),
    schema: shownText(stringify(found.inputSchema ?? {}, 2), WHOLE, definition),
    findings: (entry.findings.get(found.name) ?? []).map((finding) => ({
      code: finding.code,
      severity: finding.severity,
      field: shownText(finding.field, NAME, definition),
      text: shownText(excerptOf(found, finding), EXCERPT, definition),
    })),
  }
}

/** What was found, where it is in a text of the tool. */
function excerptOf(tool, { field, start, end }) {
  const text = field.split('/').reduce((value, part) => {
    const own = value !== null && typeof value === 'object' && Object.hasOwn(value, part)
    return own ? value[part] : undefined
  }, tool)
  return typeof text === 'string' ? text.slice(start, end) : ''
}
