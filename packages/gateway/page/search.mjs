// A search as the model's: what mcp_load would attach for a need, in a session of its own that changes nothing for a
// client, and why each tool has its place.

import { plain } from '../base/errors.mjs'
import { nothingFitsAnswer } from '../meta/nothing-fits.mjs'
import { RouterSession } from '../meta/router-session.mjs'
import { awayServers, offTools } from '../listing/unavailable.mjs'
import { textOf } from './replies.mjs'
import { shownText } from '../base/shown-text.mjs'

/** Characters of a need. */
const MAX_QUERY = 4_096
/** Tools that come next and are told of. */
const NEXT = 5
/** Terms of a tool that are told of. */
const TERMS = 6
const NAME = 120
const SUMMARY = 200

/** @param {import('../activity/activity.mjs').Gateway} gateway @param {Record<string, unknown>} asked */
export async function search(gateway, asked) {
  const query = textOf(asked.query, 'query', MAX_QUERY)
  const { catalogue, router, config } = gateway
  catalogue.asked()
  const aside = RouterSession.aside(gateway)
  try {
    const found = await aside.load(query)
    const { loaded, nothingFits, degraded, unavailable, evidence, matched, ranker } = found
    const foundNothing = loaded.length === 0
    const servers = catalogue.scopeOf()
    const ranked =
      servers.length === 0 ? [] : (await router.rank(query, { servers, topK: config.settings.searchK + NEXT })).tools
    const isLoaded = ({ name }) => loaded.some((each) => each.name === name)
    const next = ranked.filter((each) => !isLoaded(each)).slice(0, NEXT)
    const why = (each) => whyOf(gateway, query, each, servers)
    return {
      ...(evidence !== undefined && { evidence: Number(evidence.toFixed(2)) }),
      ranker,
      matched,
      ...(degraded && { degraded: degraded.code }),
      ...(found.doubt && { doubt: plain(found.doubt, SUMMARY * 2) }),
      ...(nothingFits && { nothingFits: await nothingFitsAnswer(gateway, query, nothingFits, degraded) }),
      unavailable: [
        ...(await awayServers(gateway, query, unavailable, { foundNothing })),
        ...(evidence === undefined ? [] : await offTools(gateway, query)),
      ],
      loaded: await Promise.all(loaded.map(why)),
      next: await Promise.all(next.map(why)),
      modules: found.modules.map(({ name, description }) => ({ name, description: plain(description, SUMMARY) })),
    }
  } finally {
    aside.close()
  }
}

/** Why a tool has its place. One that went meanwhile has none. */
async function whyOf({ router, catalogue }, query, { serverName, toolName, name }, servers) {
  const entry = catalogue.entries.get(serverName)
  const description = entry?.tools.get(toolName)?.description
  const about = {
    server: serverName,
    tool: toolName,
    name: plain(catalogue.tool({ serverName, toolName })?.name ?? name, NAME),
    description: shownText(description, SUMMARY, entry?.definition),
  }
  const why = await router.explain(query, { serverName, toolName }, { servers }).catch(() => undefined)
  if (!why) return about
  const { tool, terms, adjustments, named, companionOf, clause, negated, useBoost } = why
  return {
    ...about,
    rank: tool.rank,
    candidates: why.candidateCount,
    score: tool.score,
    byWords: tool.lexicalShare,
    byMeaning: tool.semanticShare,
    terms: terms.slice(0, TERMS).map(({ term, score }) => ({ term: plain(term, NAME), score })),
    adjustments: adjustments.map((each) => ({ name: each.name, share: each.share })),
    named,
    uses: useBoost,
    companionOf: companionOf.map(({ of, by }) => ({ of: plain(of, NAME), by: plain(by, NAME) })),
    ...(clause && { clause: plain(clause, SUMMARY) }),
    negated: negated.map((each) => plain(each, NAME)),
  }
}
