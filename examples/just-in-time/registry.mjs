// Reads registry documents into the router: an entry for each server, set already or later.
import { readFileSync } from 'node:fs'

/**
 * @param {import('../../index.js').ToolRouter} router
 * @param {string} file JSON: a document or an array of documents, with `mcp_id`, `name`, `description`, `capabilities` and
 * `synthetic_queries`
 */
export async function loadRegistry(router, file) {
  const documents = [JSON.parse(readFileSync(file, 'utf8'))].flat()
  for (const { mcp_id: id, synthetic_queries: syntheticQueries, name, description, capabilities } of documents)
    await router.setServerEntry(id, { name, description, capabilities, syntheticQueries })
}
