/**
 * Packages one VSIX for each target with the addon of that target. The universal one, without it, is what `pnpm vsix` makes:
 *
 *   TOOL_ROUTER_FROM=<folder with node_modules/@zoo-code> node scripts/vsix-targets.mjs [target ...]
 *
 * An editor takes the VSIX of its own target where there is one, and the universal one elsewhere.
 */
import { execFileSync } from "node:child_process"
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { TOOL_ROUTER_TARGETS } from "../packages/build/dist/index.js"

const root = fileURLToPath(new URL("..", import.meta.url))
const { name, version } = JSON.parse(fs.readFileSync(path.join(root, "src/package.json"), "utf8"))
const wanted = process.argv.slice(2)

for (const target of wanted.length > 0 ? wanted : Object.keys(TOOL_ROUTER_TARGETS)) {
	const out = path.join(root, "bin", `${name}-${target}-${version}.vsix`)
	const args = ["exec", "vsce", "package", "--no-dependencies", "--target", target, "--out", out]
	execFileSync("pnpm", args, {
		cwd: path.join(root, "src"),
		env: { ...process.env, TOOL_ROUTER_TARGET: target },
		stdio: "inherit",
	})
	console.log(`${path.basename(out)}: ${(fs.statSync(out).size / 1e6).toFixed(1)} MB`)
}
