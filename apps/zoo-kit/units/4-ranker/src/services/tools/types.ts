/** A tool as a ranker reads it. */
export interface ToolDoc {
	serverName: string
	toolName: string
	description: string
}

/** Puts tools in the order in which they serve a request. */
export interface Ranker {
	/** The best `k` of `items`, best first. Without words in common with the query a tool is left out. */
	rank(query: string, items: ToolDoc[], k: number): ToolDoc[]
}
