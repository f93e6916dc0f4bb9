import type { McpHub } from "../mcp/McpHub"

import { HubTools } from "./HubTools"
import type { Router, RouterSettings, ToolWindow } from "./router"

type AddonRouter = Router & { loadModel(options: { cacheDir: string }): Promise<unknown> }
type Addon = { loadError?: Error | null; ToolRouter: { shared(): AddonRouter } }

export interface ToolWindowOptions {
	hub: McpHub
	/** Where vectors of tools are kept, so that a window does not make them again. */
	cacheDir: string
	onProblem(error: unknown): void
	/** Told once for the window why nothing ranks, or not by meaning. */
	onFallback(reason: "addon" | "model", error: unknown): void
	/** Loads the addon; a test gives its own. */
	load?: () => Promise<Addon>
}

const windows = new WeakMap<McpHub, Promise<ToolWindow | undefined>>()

/**
 * The one router of the window, for all of its tasks: opened with the first one that has many tools. Where there is none, that is
 * told once, and all tools are sent.
 */
export function toolWindow(options: ToolWindowOptions): Promise<ToolWindow | undefined> {
	const window = windows.get(options.hub) ?? open(options)
	windows.set(options.hub, window)
	return window
}

async function open(options: ToolWindowOptions): Promise<ToolWindow | undefined> {
	const { hub, onProblem, onFallback } = options
	const router = await openRouter(options).catch((error) => onFallback("addon", error))
	if (!router) {
		return undefined
	}
	const tools = new HubTools(router, hub, onProblem)
	let known: RouterSettings = {}
	const ready = (settings: RouterSettings) => {
		const next = { ...settings, hostModes: { ...known.hostModes, ...settings.hostModes }, ...AS_SENT }
		if (JSON.stringify(next) !== JSON.stringify(known)) {
			router.configure(next)
			known = next
		}
		return tools.refresh()
	}
	return { router, ready }
}

async function openRouter({ cacheDir, onFallback, load = loadAddon }: ToolWindowOptions): Promise<Router> {
	const { loadError, ToolRouter } = await load()
	if (loadError) {
		throw loadError
	}
	const router = ToolRouter.shared()
	// Until the model is there, and where there is none, the addon ranks by words.
	router.loadModel({ cacheDir }).catch((error) => onFallback("model", error))
	return router
}

/** Definitions are those of the extension, and come as messages: the list of tools stays, and with it the provider's cache. */
const AS_SENT = { delivery: "call", provider: "openai-chat", schemaStyle: "host" } as const

async function loadAddon(): Promise<Addon> {
	// As a variable, so that neither the bundler nor the type check looks for a package that may not be installed.
	const name = "@zoo-code/tool-router"
	const loaded = (await import(name)) as { default?: Addon } & Addon
	return loaded.default ?? loaded
}
