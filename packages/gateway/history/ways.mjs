// Ways in which tools can reach a model, as they are compared: every delivery that a provider takes, each with the settings that the
// router comes with and with others.

/**
 * Deliveries of each provider. Programs run code of the model: what passes through them is not in a transcript.
 *
 * @type {Record<string, import('@zoo-code/tool-router/internal').Delivery[]>}
 */
const PAIRS = {
  anthropic: ['append', 'defer', 'changes', 'call'],
  bedrock: ['append', 'defer', 'changes', 'call'],
  'openai-responses': ['append', 'defer', 'call'],
  gemini: ['append', 'call'],
  vscode: ['append', 'call'],
  'openai-chat': ['append', 'call'],
}
/** Settings: those that the router comes with, and others. */
const SETTINGS = {
  'two tiers': {},
  'definitions alone': { directoryTokens: 0 },
  'thirty definitions': { initialK: 30, directoryTokens: 0 },
}

/** @typedef {import('./play.mjs').Way & { title: string }} NamedWay */

/** @returns {NamedWay} */
const way = (provider, delivery, name, settings) => ({
  id: `${delivery}, ${name}`,
  title: `${delivery}, ${name}`,
  provider,
  delivery,
  settings,
})

/** The tools that the router chooses as it comes, however later ones reach the model. @param {import('@zoo-code/tool-router/internal').Provider} provider */
export const asItComes = (provider) => way(provider, 'append', 'two tiers', SETTINGS['two tiers'])

/** What `npx ... gateway` does: its own tools alone, and signatures of what a model looks for there. */
export const throughGateway = (provider) => ({
  ...way(provider, 'call', 'as a gateway', { threshold: 0, initialK: 0, searchTurns: 1, directoryTokens: 0 }),
  title: 'through the gateway',
})

/** @param {import('@zoo-code/tool-router/internal').Provider} provider @returns {NamedWay[]} */
export function waysOf(provider) {
  return PAIRS[provider].flatMap((delivery) =>
    Object.entries(SETTINGS).map(([name, settings]) => way(provider, delivery, name, settings)),
  )
}
