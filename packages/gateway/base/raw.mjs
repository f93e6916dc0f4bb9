// The SDK checks what it sends and receives against schemas of its own time. A gateway passes on what it received.

/** The current revision of the protocol. */
export const MODERN = '2026-07-28'

/**
 * A schema of the SDK's kind that takes anything and changes nothing. The SDK gives it results, which it has found to be
 * objects; nothing else of them is known.
 *
 * @type {import('@modelcontextprotocol/client').StandardSchemaV1<unknown, Record<string, unknown>>}
 */
export const ANYTHING = {
  '~standard': {
    version: 1,
    vendor: 'zoo-tool-router',
    validate: (value) => ({ value: /** @type {Record<string, unknown>} */ (value) }),
  },
}
