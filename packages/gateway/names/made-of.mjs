// What a program of the configuration is made of: its code, and the definitions of the tools that it calls.

import { createHash } from 'node:crypto'

/** Where a program's tool says it. */
const KEY = 'zoo-tool-router/made-of'
/** What a model reads of a tool, or a client decides by. */
const PARTS = ['title', 'description', 'inputSchema', 'annotations']

/**
 * @param {string} code
 * @param {any[]} definitions of the tools that it calls
 * @returns {{ [key: string]: string }} for `_meta`
 */
export function madeOf(code, definitions) {
  const parts = definitions.map((tool) => [tool.name, ...PARTS.map((part) => tool[part] ?? null)])
  return {
    [KEY]: createHash('sha256')
      .update(JSON.stringify([code, parts]))
      .digest('base64url'),
  }
}

/**
 * A program's tool as approvals compare it: another one when any of that is.
 *
 * @param {any} tool
 */
export const asMade = ({ _meta, ...tool }) => ({ ...tool, annotations: { ...tool.annotations, of: _meta?.[KEY] } })
