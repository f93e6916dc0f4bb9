// Tools that say something else than what was accepted: the old and the new text, and their acceptance.

import { Approvals, findingsIn, isApprovable, isPromptName } from '../store/approvals.mjs'
import { Refused, textOf } from './replies.mjs'
import { entryNamed } from './servers.mjs'
import { shownText } from '../base/shown-text.mjs'

/** Tools that are shown together. */
const MOST = 200
/** Characters of one text, and parts of a definition that are shown. */
const WHOLE = 65_536
const PARTS = 100
const NAME = 120
const MAX_NAME = 1_000
const HASH = 100

/** @param {import('../activity/activity.mjs').Gateway} gateway */
export async function approvals({ catalogue, config, store, router }) {
  const { settings } = config
  const kept = new Approvals(store)
  const waiting = []
  for (const { definition, withheld, findings } of catalogue.entries.values()) {
    if (![settings.changedTools, settings.newTools].includes('withhold') && ![...withheld.values()].some(isApprovable))
      continue
    const texts = await kept.waiting(definition)
    for (const { tool, parts, more, isWhole, hash } of texts) {
      if (!withheld.has(tool) && !isPromptName(tool)) continue
      const shield = await findingsIn(router, { parts }, findings.get(tool) ?? [])
      waiting.push({
        server: definition.name,
        tool,
        name: shownText(tool, NAME),
        parts: parts.slice(0, PARTS).map(({ at, was, is }) => ({
          at: shownText(at, NAME, definition),
          was: was === undefined ? undefined : shownText(was, WHOLE, definition),
          is: is === undefined ? undefined : shownText(is, WHOLE, definition),
        })),
        more: more + Math.max(0, parts.length - PARTS),
        // What was not kept cannot be shown.
        isWhole,
        hash,
        findings: shield.map(({ code, severity }) => ({ code, severity })),
      })
    }
  }
  return { isWithholding: settings.changedTools === 'withhold', count: waiting.length, waiting: waiting.slice(0, MOST) }
}

/** Accepts the text that was read; one that has come since waits on. */
export async function approve(gateway, { server, tool, hash }) {
  const { definition } = entryNamed(gateway, server)
  const [name, read] = [textOf(tool, 'tool', MAX_NAME), textOf(hash, 'hash', HASH)]
  const approved = await new Approvals(gateway.store).approve(definition, name, read)
  if (approved.length === 0)
    throw new Refused(409, 'its text has changed again, or it was approved elsewhere; read it again')
  gateway.log(`server ${definition.name}: ${name} was approved from the page`)
  return {}
}
