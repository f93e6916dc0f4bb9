import * as fs from "fs"
import * as os from "os"
import * as path from "path"

import { copyToolRouter, TOOL_ROUTER_TARGETS } from "../index.js"

describe("copyToolRouter", () => {
	let folder: string
	const write = (file: string) => {
		const target = path.join(folder, "from", "node_modules", "@zoo-code", file)
		fs.mkdirSync(path.dirname(target), { recursive: true })
		fs.writeFileSync(target, "{}")
	}
	const copy = (target?: string) =>
		copyToolRouter({ target, from: path.join(folder, "from"), dist: path.join(folder, "dist") })
	const copied = () => {
		const dist = path.join(folder, "dist")
		return fs.existsSync(dist)
			? fs
					.readdirSync(dist, { recursive: true, withFileTypes: true })
					.filter((entry) => entry.isFile())
					.map(({ parentPath, name }) =>
						path.relative(dist, path.join(parentPath, name)).replaceAll("\\", "/"),
					)
					.sort()
			: []
	}

	beforeEach(() => {
		folder = fs.mkdtempSync(path.join(os.tmpdir(), "tool-router-"))
		const files = ["package.json", "index.js", "gateway/main.mjs", "README.md", "LICENSE"]
		for (const file of files) {
			write(`tool-router/${file}`)
		}
		for (const { platform } of Object.values(TOOL_ROUTER_TARGETS)) {
			write(`tool-router-${platform}/package.json`)
			write(`tool-router-${platform}/tool-router.node`)
		}
		write("tool-router-model/package.json")
		write("tool-router-model/model.onnx")
	})
	afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

	it("gives a target its addon and the model with their licences, and nothing of a program of its own", () => {
		expect(copy("darwin-arm64")).toEqual(["tool-router", "tool-router-darwin-arm64", "tool-router-model"])
		expect(copied()).toEqual([
			"node_modules/@zoo-code/tool-router-darwin-arm64/package.json",
			"node_modules/@zoo-code/tool-router-darwin-arm64/tool-router.node",
			"node_modules/@zoo-code/tool-router-model/model.onnx",
			"node_modules/@zoo-code/tool-router-model/package.json",
			"node_modules/@zoo-code/tool-router/LICENSE",
			"node_modules/@zoo-code/tool-router/index.js",
			"node_modules/@zoo-code/tool-router/package.json",
		])
	})

	it("leaves the model out where its runtime does not run", () => {
		expect(copy("alpine-x64")).toEqual(["tool-router", "tool-router-linux-x64-musl"])
	})

	it("copies nothing for the universal VSIX, which ranks by words", () => {
		expect(copy(undefined)).toEqual([])
		expect(copied()).toEqual([])
	})

	it("says which target or package is wrong, and copies nothing then", () => {
		expect(() => copy("linux-x86")).toThrow(/expected one of linux-x64, .*got linux-x86/)
		fs.rmSync(path.join(folder, "from/node_modules/@zoo-code/tool-router-model"), { recursive: true })
		expect(() => copy("linux-x64")).toThrow(/expected @zoo-code\/tool-router-model in/)
		expect(copied()).toEqual([])
	})
})
