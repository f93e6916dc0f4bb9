// A server of the configuration, run by this gateway or by one for all.

import { Downstream } from './downstream.mjs'
import { LeasedDownstream } from './leased.mjs'

/**
 * @param {import('./downstream.mjs').ServerDefinition} definition
 * @param {import('./downstream.mjs').Hooks} hooks
 * @param {any} options those of {@link Downstream}
 * @param {import('../store/store.mjs').Store['leases']} leases without which each gateway is alone
 * @returns {Downstream | LeasedDownstream}
 */
export function openDownstream(definition, hooks, options, leases) {
  return definition.oneInstance && leases !== undefined
    ? new LeasedDownstream(definition, hooks, options, leases)
    : new Downstream(definition, hooks, options)
}
