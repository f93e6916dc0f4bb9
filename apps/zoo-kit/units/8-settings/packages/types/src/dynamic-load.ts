import { z } from "zod"

const whole = (min: number, max: number) => z.number().int().min(min).max(max)

/** Which MCP tools tasks have when there are many. */
export const dynamicLoadSchema = z
	.object({
		/** Up to this many tools all are sent. */
		threshold: whole(0, 1_000),
		/** Tools that the first text of a task chooses; `auto`: as many as are worth their tokens. */
		initialK: z.union([z.literal("auto"), whole(1, 1_000)]),
		/** Tools that one call of `mcp_load` adds at most. */
		searchK: whole(1, 100),
		/** How many texts of a task choose tools. 0 switches all of it off: all tools are sent. */
		searchTurns: whole(0, 100),
		/** Ranks with the native addon, where it is installed. Without it words rank. */
		useAddon: z.boolean(),
	})
	.partial()

export type DynamicLoad = z.infer<typeof dynamicLoadSchema>

export const DYNAMIC_LOAD_DEFAULTS: Required<DynamicLoad> = {
	threshold: 50,
	initialK: "auto",
	searchK: 10,
	searchTurns: 7,
	useAddon: true,
}

/** The bounds of the numbers, in the order in which they are shown. */
export const DYNAMIC_LOAD_BOUNDS = {
	threshold: [0, 1_000],
	initialK: [1, 1_000],
	searchK: [1, 100],
	searchTurns: [0, 100],
} as const

/** All settings: one that is not there or out of its bounds has its default. */
export function dynamicLoadOf(given: unknown): Required<DynamicLoad> {
	const values = { ...DYNAMIC_LOAD_DEFAULTS }
	if (typeof given !== "object" || given === null) {
		return values
	}
	for (const [key, value] of Object.entries(given)) {
		const { success, data } = dynamicLoadSchema.safeParse({ [key]: value })
		if (success && value !== undefined) {
			Object.assign(values, data)
		}
	}
	return values
}
