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
  /** Modes with `allowedMcpServers` or `blockedMcpServers`, by slug. */
  modes?: Settings['hostModes']
}

/** With `schemaStyle: 'host'` definitions are those of the host's own function, byte for byte. */
export function toSettings({ modes, ...settings }: HostSettings): Settings {
  return { ...settings, hostModes: modes, schemaStyle: 'host' }
}

/** What the host's telemetry takes: an event, and its fields. */
export type Capture = (event: string, properties: Record<string, string | number>) => void

const ranker = (name: string) => (name === 'lexical' ? 'bm25' : 'embeddings')

/** Sends the router's events in the host's words. */
export function sendTelemetry(router: ToolRouter, capture: Capture): void {
  router.onTelemetry((event: TelemetryEvent) => {
    switch (event.event) {
      case 'dynamic_tools.task_start': {
        const { scopedCount, attachedCount } = event
        return capture('task_start', { scopedCount, attachedCount, ranker: ranker(event.ranker) })
      }
      case 'dynamic_tools.mcp_load_invoked': {
        const { queryLength, loadedCount, attachedCount } = event
        return capture('mcp_load_invoked', { queryLength, returnedCount: loadedCount, totalAttached: attachedCount })
      }
      case 'dynamic_tools.rolling_window_step': {
        const { turn, addedCount, attachedCount } = event
        return capture('rolling_window_step', { taskTurn: turn, addedCount, totalAttached: attachedCount })
      }
      case 'dynamic_tools.ranker_fallback':
        return capture('ranker_fallback', { from: 'embeddings', to: 'bm25', reason: event.reason })
    }
  })
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
