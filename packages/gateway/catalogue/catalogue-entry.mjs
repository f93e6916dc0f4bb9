// What the catalogue has of one server, before anything is known of it, and what the configuration says about it.

import { stringify } from '@zoo-code/tool-router/exact-json'

/**
 * @typedef {object} Entry a server and what it offers
 * @property {import('../downstream/downstream.mjs').ServerDefinition} definition
 * @property {import('../downstream/downstream.mjs').Downstream} downstream
 * @property {Map<string, Tool>} tools as the server listed them, by name
 * @property {Map<string, string>} providerNames names by which the router knows the tools in scope, by tool name, in the
 * server's order
 * @property {Map<string, string>} names names by which clients know them
 * @property {{ tool: string, taken_by: string }[]} refused tools whose names others have
 * @property {Map<string, string>} withheld why one of its tools is withheld, by tool name
 * @property {Map<string, string>} withheldOfAll the same for all that it lists, where only a part of it is there
 * @property {Map<string, import('../names/tool-kind.mjs').Kind>} kinds what the configuration says that its tools do, by tool name
 * @property {Map<string, import('@zoo-code/tool-router/internal').Finding[]>} findings what the shield found in its texts, by tool name; '' for texts of the server
 * @property {string} [posing] what was said about its tools that are called as another server's
 * @property {ReturnType<typeof import('../config/tool-spelling.mjs').unknownNames>} unknownNames names in its lists that no tool has
 * @property {string} [instructions] what the server says about its use
 * @property {Promise<unknown>} [read] settles when the list of the last time is read, if there is one
 * @property {Promise<void>} known settles when a list of its tools is there, be it from disk
 * @property {boolean} isKnown whether it has
 * @property {Promise<void>} started settles when it was asked for its tools, or could not be
 * @property {boolean} isStarting until then
 * @property {import('../store/store.mjs').ServerList} [list] the list as the server sent it
 * @property {string} [listText] what of it the router has
 * @property {Promise<unknown>} setting settles when the router has it
 * @property {number} addedAt when it was added
 *
 * @typedef {import('@modelcontextprotocol/client').Tool} Tool
 * @typedef {{ serverName: string, toolName: string }} ToolId
 * @typedef {ToolId & { name: string, entry: Entry }} ToolInScope `name`: the one that clients know
 */

/** @returns {Entry} without a server, which `Catalogue` gives it */
export function newEntry() {
  const entry = {
    tools: new Map(),
    providerNames: new Map(),
    names: new Map(),
    refused: [],
    withheld: new Map(),
    withheldOfAll: new Map(),
    unknownNames: [],
    kinds: new Map(),
    findings: new Map(),
    instructions: undefined,
    list: undefined,
    listText: undefined,
    setting: Promise.resolve(),
  }
  return /** @type {Entry} */ (/** @type {unknown} */ (entry))
}

/**
 * What the configuration says about a server; undefined when it says nothing, so that an entry of the host's stays.
 *
 * @param {import('../config/server.mjs').ServerDefinition} definition
 */
export function registryEntry({ description, capabilities, syntheticQueries }) {
  const isEmpty = description === undefined && capabilities.length === 0 && syntheticQueries.length === 0
  return isEmpty ? undefined : { description, capabilities, syntheticQueries }
}

/**
 * Notes what the shield found: a change tells of what is new or says something else, and of nothing that stays.
 *
 * @param {Entry} entry
 * @param {Pick<import('@zoo-code/tool-router/internal').CatalogueChange, 'added' | 'changed' | 'removed' | 'findings'>} change
 */
export function noteFindings({ findings }, { added, changed, removed, findings: found }) {
  findings.delete('')
  for (const { toolName } of [...added, ...changed, ...removed]) findings.delete(toolName)
  for (const { toolName = '', finding } of found) findings.set(toolName, [...(findings.get(toolName) ?? []), finding])
}

/**
 * A server as the router takes it.
 *
 * @param {import('../downstream/downstream.mjs').ServerDefinition} definition
 * @param {{ tools: Tool[], instructions?: string, switches: ReturnType<typeof import('./withheld.mjs').switchesOf> }} list
 */
export function routedServer(definition, { tools, instructions, switches }) {
  return {
    name: definition.name,
    tools: tools.map((tool) => withSchemaText(takesObject(tool) ? tool : { ...tool, inputSchema: { type: 'object' } })),
    instructions,
    ...switches,
    toolDescriptionOverrides: Object.fromEntries(definition.toolDescriptionOverrides),
    searchDescriptions: Object.fromEntries(definition.searchDescriptions),
    entry: registryEntry(definition),
  }
}

/** Arguments are an object, whatever a server's schema says: clients are shown that, and calls are held against it. @param {any} tool */
const takesObject = (tool) => [tool?.inputSchema?.type ?? 'object'].flat().includes('object')

/** A schema that has numbers which JavaScript would change is given as text. @param {Tool} tool */
export function withSchemaText(tool) {
  const schema = stringify(tool?.inputSchema)
  return schema === undefined || schema === JSON.stringify(tool.inputSchema) ? tool : { ...tool, inputSchema: schema }
}
