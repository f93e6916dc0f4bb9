import type { Ranker, ToolDoc } from "./types"

/** As much of the addon as is used. Its package is optional, so its types are not there for certain. */
interface Addon {
	loadError?: Error | null
	ToolRouter: { shared(): Router }
}

interface Router {
	setServers(servers: { name: string; tools: object[] }[], options: { replace: boolean }): Promise<unknown>
	rank(query: string, options: { topK: number }): Promise<{ tools: Ranked[] }>
	loadModel(): Promise<void>
}

interface Ranked {
	serverName: string
	toolName: string
	lexicalScore: number
	similarity?: number
	semanticShare: number
}

export interface ToolRankerOptions {
	/** Whether the user has switched the addon on. */
	isAddonWanted: () => boolean
	/** Up to this many tools all are sent: nothing is ranked, and nothing native is loaded. */
	threshold: number
	/** Told once why the addon is not used though it is wanted. */
	onFallback: (reason: string) => void
	/** Loads the addon; a test gives its own. */
	load?: () => Promise<Addon>
}

/** The most tools that the addon ranks at a time. */
const MOST = 1000

/** Ranks with the baseline, and with the addon where it is wanted, worth it and there. It never fails because of the addon. */
export class ToolRanker {
	private router: Promise<Router> | undefined
	private ranked: ToolDoc[] | undefined
	private isBroken = false

	constructor(
		private readonly baseline: Ranker,
		private readonly options: ToolRankerOptions,
	) {}

	async rank(query: string, items: ToolDoc[], k: number): Promise<ToolDoc[]> {
		const { isAddonWanted, threshold, onFallback } = this.options
		const isWorthIt = items.length > threshold && k > 0 && query.trim() !== ""
		if (isWorthIt && !this.isBroken && isAddonWanted()) {
			try {
				return await this.rankWithAddon(query, items, k)
			} catch (error) {
				// A fault of the addon is one of this window: it is not tried again until the window is reloaded.
				this.isBroken = true
				onFallback(error instanceof Error ? error.message : String(error))
			}
		}
		return this.baseline.rank(query, items, k)
	}

	private async rankWithAddon(query: string, items: ToolDoc[], k: number): Promise<ToolDoc[]> {
		this.router ??= this.open()
		const router = await this.router
		if (this.ranked !== items) {
			await router.setServers(serversOf(items), { replace: true })
			this.ranked = items
		}
		const { tools } = await router.rank(query, { topK: Math.min(k, MOST) })
		const byName = new Map(items.map((item) => [keyOf(item), item]))
		const fitting = tools.filter(
			({ lexicalScore, similarity, semanticShare }) =>
				lexicalScore > 0 || (similarity !== undefined && semanticShare > 0),
		)
		return fitting.flatMap((tool) => byName.get(keyOf(tool)) ?? [])
	}

	private async open(): Promise<Router> {
		const { ToolRouter, loadError } = await (this.options.load ?? loadAddon)()
		if (loadError) {
			throw loadError
		}
		const router = ToolRouter.shared()
		// Until the model is there, and where there is none, the addon ranks by words.
		router.loadModel().catch((error: Error) => this.options.onFallback(`by words alone: ${error.message}`))
		return router
	}
}

const keyOf = ({ serverName, toolName }: { serverName: string; toolName: string }) => `${serverName}\n${toolName}`

function serversOf(items: ToolDoc[]): { name: string; tools: object[] }[] {
	const servers = new Map<string, object[]>()
	for (const { serverName, toolName, description } of items) {
		servers.set(serverName, [...(servers.get(serverName) ?? []), { name: toolName, description }])
	}
	return [...servers].map(([name, tools]) => ({ name, tools }))
}

async function loadAddon(): Promise<Addon> {
	// As a variable, so that neither the bundler nor the type check looks for a package that may not be installed.
	const name = "@zoo-code/tool-router"
	const loaded = (await import(name)) as { default?: Addon } & Addon
	return loaded.default ?? loaded
}
