// SPDX-License-Identifier: Apache-2.0
//
// Ways in which tools can reach a model, as they are compared: every delivery that a provider takes, each as the router comes and
// with other settings.

/**
 * Deliveries of each provider.
 *
 * @type {Record<string, import('@zoo-code/tool-router').Delivery[]>}
 */
export const PAIRS = {
  anthropic: ['append', 'defer', 'program', 'changes', 'call'],
  bedrock: ['append', 'defer', 'changes', 'call'],
  'openai-responses': ['append', 'defer', 'program', 'call'],
  gemini: ['append', 'call'],
  vscode: ['append', 'call'],
  'openai-chat': ['append', 'call'],
}
/** Programs run code of the model: what passes through them is not in a transcript. */
const NOT_TOLD = 'program'
/** Settings beside those that the router comes with. */
const SETTINGS = {
  'thirty definitions': { initialK: 30, directoryTokens: 0 },
  'definitions by evidence': { initialK: /** @type {const} */ ('auto'), directoryTokens: 0 },
  'a dozen and a directory': { initialK: 12, directoryTokens: 4_200 },
}

/** @typedef {import('./play.mjs').Way & { title: string }} NamedWay */

/** The router as it comes. @returns {NamedWay} */
export const asItComes = (provider) => waysOf(provider)[0]

/** @param {import('@zoo-code/tool-router').Provider} provider @returns {NamedWay[]} the first is the router as it comes */
export function waysOf(provider) {
  const way = (delivery, name, settings) => ({
    id: name === undefined ? delivery : `${delivery}, ${name}`,
    title: name === undefined ? `${delivery}, as the router comes` : `${delivery}, ${name}`,
    provider,
    delivery,
    knowsContext: true,
    settings,
  })
  return PAIRS[provider]
    .filter((delivery) => delivery !== NOT_TOLD)
    .flatMap((delivery) => [
      way(delivery, undefined, {}),
      ...Object.entries(SETTINGS).map(([name, settings]) => way(delivery, name, settings)),
    ])
}
