import * as fs from "fs"
import * as path from "path"

const SCOPE = "@zoo-code"

/** The package of the addon for each target of a VSIX, and whether its platform can run the model. */
export const TOOL_ROUTER_TARGETS: Record<string, { platform: string; hasModel: boolean }> = {
	"linux-x64": { platform: "linux-x64-gnu", hasModel: true },
	"linux-arm64": { platform: "linux-arm64-gnu", hasModel: true },
	"alpine-x64": { platform: "linux-x64-musl", hasModel: false },
	"alpine-arm64": { platform: "linux-arm64-musl", hasModel: false },
	"darwin-x64": { platform: "darwin-x64", hasModel: true },
	"darwin-arm64": { platform: "darwin-arm64", hasModel: true },
	"win32-x64": { platform: "win32-x64-msvc", hasModel: true },
	"win32-arm64": { platform: "win32-arm64-msvc", hasModel: true },
}

/** What only a program of its own uses. */
const NOT_NEEDED = ["gateway", "adapters", "README.md", "CHANGELOG.md", "node_modules"]

export interface ToolRouterOptions {
	/** A target of vsce. Without one the VSIX is universal: it has no addon, and ranks by words. */
	target: string | undefined
	/** A folder where the packages are installed: it has `node_modules/@zoo-code`. */
	from: string | undefined
	dist: string
}

/** Puts the addon of one target where the bundle finds it. Returns the packages that it copied. */
export function copyToolRouter({ target, from, dist }: ToolRouterOptions): string[] {
	if (!target) {
		return []
	}
	const known = TOOL_ROUTER_TARGETS[target]
	if (!known) {
		const targets = Object.keys(TOOL_ROUTER_TARGETS).join(", ")
		throw new Error(`TOOL_ROUTER_TARGET: expected one of ${targets}, got ${target}`)
	}
	const { platform, hasModel } = known
	const names = ["tool-router", `tool-router-${platform}`, ...(hasModel ? ["tool-router-model"] : [])]
	const folder = path.join(from ?? "", "node_modules", SCOPE)
	// All or none: an addon without its model would rank otherwise than the release says.
	for (const name of names) {
		if (!from || !fs.existsSync(path.join(folder, name, "package.json"))) {
			throw new Error(
				`TOOL_ROUTER_FROM: expected ${SCOPE}/${name} in ${folder}; install it there with npm install --force, or leave TOOL_ROUTER_TARGET unset for a VSIX without it`,
			)
		}
	}
	for (const name of names) {
		fs.cpSync(path.join(folder, name), path.join(dist, "node_modules", SCOPE, name), {
			recursive: true,
			filter: (source) => !NOT_NEEDED.includes(path.relative(path.join(folder, name), source)),
		})
	}
	return names
}
