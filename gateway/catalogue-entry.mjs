// SPDX-License-Identifier: Apache-2.0
//
// What the catalogue has of one server, before anything is known of it, and what the configuration says about it.

import { switchesOf } from './withheld.mjs'

/** @returns {import('./catalogue.mjs').Entry} without a server, which `Catalogue` gives it */
export function newEntry() {
  return /** @type {import('./catalogue.mjs').Entry} */ ({
    tools: new Map(),
    providerNames: new Map(),
    names: new Map(),
    refused: [],
    withheld: new Map(),
    instructions: undefined,
    list: undefined,
    listText: undefined,
    setting: Promise.resolve(),
  })
}

/**
 * What the configuration says about a server; undefined when it says nothing, so that an entry of the host's stays.
 *
 * @param {import('./config/server.mjs').ServerDefinition} definition
 */
export function registryEntry({ description, capabilities, syntheticQueries }) {
  const isEmpty = description === undefined && capabilities.length === 0 && syntheticQueries.length === 0
  return isEmpty ? undefined : { description, capabilities, syntheticQueries }
}

/**
 * A server as the router takes it.
 *
 * @param {import('./downstream/downstream.mjs').ServerDefinition} definition
 * @param {{ tools: import('./catalogue.mjs').Tool[], instructions?: string, withheld: Map<string, string> }} list
 */
export function routedServer(definition, { tools, instructions, withheld }) {
  return {
    name: definition.name,
    tools,
    instructions,
    ...switchesOf(definition, withheld, tools),
    toolDescriptionOverrides: Object.fromEntries(definition.toolDescriptionOverrides),
    searchDescriptions: Object.fromEntries(definition.searchDescriptions),
    entry: registryEntry(definition),
  }
}
