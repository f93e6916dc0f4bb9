// SPDX-License-Identifier: Apache-2.0
//
// The host's settings, telemetry, embedder and panel, in its own words.

import type { Embedder, Settings, TelemetryEvent, ToolRouter } from '../../index.js'

/** The settings under `mcp.dynamicLoad`, and what else the host knows. */
export interface HostSettings {
  threshold?: number
  initialK?: number
  searchK?: number
  /** 0 is the off switch. */
  searchTurns?: number
  contextWindow?: number
  /** How many tools of its own the host sends, and the limit of the provider's API. */
  nativeToolCount?: number
  maxTools?: number
  /**
   * How tools that are attached later reach the model. `call` keeps the provider's cache, and costs next to nothing whatever
   * the provider is; `append` covers a little more at ten times the cost (docs/delivery.md). @default 'call'
   */
  delivery?: 'call' | 'append'
  /** Modes with `allowedMcpServers` or `blockedMcpServers`, by slug. */
  modes?: Settings['hostModes']
}

/** With `schemaStyle: 'host'` definitions are those of the host's own function, byte for byte. Its shapes are OpenAI's. */
export function toSettings({ modes, delivery = 'call', ...settings }: HostSettings): Settings {
  return { ...settings, delivery, provider: 'openai-chat', hostModes: modes, schemaStyle: 'host' }
}

/** What the host's telemetry takes: an event, and its fields. */
export type Capture = (event: string, properties: Record<string, string | number>) => void

const ranker = (name: string) => (name === 'lexical' ? 'bm25' : 'embeddings')

/** Sends the router's events under the host's names, with its fields. */
export function sendTelemetry(router: ToolRouter, capture: Capture): void {
  router.onTelemetry(({ event, sessionId: _, ...counts }: TelemetryEvent) => capture(event, fieldsOf(event, counts)))
}

function fieldsOf(
  event: TelemetryEvent['event'],
  counts: Record<string, string | number>,
): Record<string, string | number> {
  const { turn = 0, scopedCount = 0, attachedCount = 0, addedCount = 0, queryLength = 0, reason = '' } = counts
  switch (event) {
    case 'dynamic_tools.task_start':
      return { scopedCount, attachedCount, ranker: ranker(String(counts.ranker)) }
    case 'dynamic_tools.mcp_load_invoked': {
      const { loadedCount = 0, alreadyAttachedCount = 0 } = counts
      return { taskTurn: turn, queryLength, returnedCount: loadedCount, alreadyAttachedCount }
    }
    case 'dynamic_tools.rolling_window_step':
      return { turn, addedCount, totalAttached: attachedCount }
    case 'dynamic_tools.directory_used': {
      const { by = '', toolCount = 0, refusedCount = 0 } = counts
      return { turn, by, toolCount, refusedCount }
    }
    case 'dynamic_tools.ranker_fallback':
      return { from: 'embeddings', to: 'bm25', reason }
  }
}

/** The host's code index embedder, where one is configured. */
export interface CodeIndexEmbedder {
  createEmbeddings(texts: string[]): Promise<{ embeddings: number[][] }>
  embedderInfo: { name: string }
}

/** Ranks with the host's embedder, else with the local model. Until it is there, and where neither can be, by words. */
export async function useEmbedder(router: ToolRouter, cacheDir: string, host?: CodeIndexEmbedder): Promise<void> {
  if (!host) return void (await router.loadModel({ cacheDir }))
  const embed: Embedder = async (texts) => (await host.createEmbeddings(texts)).embeddings
  await router.setEmbedder(embed, { modelId: host.embedderInfo.name, cacheDir })
}

/** Tools in the order of a request: what changes stands last, so that the provider's cache holds. */
export const inOrder = <Tool>(native: Tool[], custom: Tool[], mcp: Tool[]): Tool[] => [...native, ...custom, ...mcp]

/** Tokens as the host's panel counts them: it multiplies its own counts, so ours are multiplied too where both add up. */
export const asHostTokens = (tokens: number, factor: number) => Math.ceil(tokens * factor)
