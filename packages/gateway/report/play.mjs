// Plays the messages of a task as a host would, and notes what its report says.

import { bills, reasons } from './facts.mjs'

/**
 * @typedef {{ name: string, why: string }} Added
 * @typedef {object} Played what was played, for page.mjs
 * @property {string[]} texts the messages of the user
 * @property {number} toolCount of all servers
 * @property {import('@zoo-code/tool-router/internal').ServerTokens[]} servers
 * @property {{ tokens: import('@zoo-code/tool-router/internal').Selection['tokens'], attached: number, tools: Awaited<ReturnType<typeof reasons>> }} first
 * @property {{ who: string, said: string, added: Added[], tokens: number }[]} turns
 * @property {Awaited<ReturnType<typeof bills>>} bills
 */

/**
 * @param {import('@zoo-code/tool-router/internal').ToolRouter} router
 * @param {string[]} texts the first message, and later ones
 * @returns {Promise<Played>}
 */
export async function playTask(router, texts) {
  const session = router.openSession()
  /** @type {Played['turns']} */
  const turns = []
  try {
    let first
    for (const said of texts) {
      const selection = await (first === undefined ? session.start(said) : session.turn(said))
      const added = await reasons(router, said, selection, first === undefined ? selection.attached : selection.added)
      first ??= { tokens: selection.tokens, attached: selection.attached.length, tools: added }
      await noteTurn(turns, router, session, { who: 'the user', said, added })
    }
    const { tokens } = first
    const toolCount = router.status.toolCount
    return { texts, toolCount, servers: tokens.servers, first, turns, bills: await bills(router, texts) }
  } finally {
    session.close()
  }
}

/**
 * Notes what the context holds of tools after a turn.
 *
 * @param {Played['turns']} turns
 * @param {import('@zoo-code/tool-router/internal').ToolRouter} router
 * @param {import('@zoo-code/tool-router/internal').Session} session
 * @param {{ who: string, said: string, added: Added[] }} turn
 */
export async function noteTurn(turns, router, session, { who, said, added }) {
  const { total } = await router.contextUsage({}, { sessionId: session.id })
  turns.push({ who, said, added, tokens: total + (session.selection?.tokens.mcpLoad ?? 0) })
}
