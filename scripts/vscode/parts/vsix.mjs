// What is packed: the router, its model and the bundle, and nothing of them twice.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'

/** Runtime, model and vectors make up almost all of it. The addon is as large as it was built: `release:check` bounds that. */
const MAX_BYTES = 43_000_000
const MAX_FILES = 180

export async function vsix({ vsix: file, claim }) {
  await claim(
    'the VSIX has the router, the model and the bundle, and nothing that the bundle has already',
    async () => {
      const { stdout } = spawnSync('unzip', ['-v', file], { encoding: 'utf8' })
      const rows = [...stdout.matchAll(/^ *\d+ +\S+ +(\d+) .* (\S+)$/gm)]
      const names = rows.map(([, , name]) => name)
      const twice = names.filter((name) =>
        /node_modules\/(@modelcontextprotocol|zod|jose|yaml|jsonc-parser)\/|tool-router\/(gateway|adapters|programs)\//.test(
          name,
        ),
      )
      assert.deepEqual(twice.slice(0, 5), [])
      for (const needed of [
        'dist/extension.js',
        'dist/gateway.mjs',
        '/model.onnx',
        '/index.js',
        '/internal.js',
        'named-model.cjs',
      ])
        assert.ok(
          names.some((name) => name.endsWith(needed)),
          needed,
        )
      const size = rows.reduce((sum, [, bytes, name]) => sum + (name.endsWith('.node') ? 0 : Number(bytes)), 0)
      assert.ok(size <= MAX_BYTES && names.length <= MAX_FILES, `${size} bytes, ${names.length} files`)
      return `${(size / 1e6).toFixed(1)} MB without the addon, ${names.length} files`
    },
  )
}
