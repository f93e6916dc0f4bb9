// What is packed: the router, its model and the bundle, and nothing of them twice.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'

/** The binary with its runtime, and the model with its vectors, make up almost all of it. */
const MAX_BYTES = 43_000_000
const MAX_FILES = 180

export async function vsix({ vsix: file, claim }) {
  await claim(
    'the VSIX has the router, the model and the bundle, and nothing that the bundle has already',
    async () => {
      const { stdout } = spawnSync('unzip', ['-Z1', file], { encoding: 'utf8' })
      const names = stdout.trim().split('\n')
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
      const { size } = fs.statSync(file)
      assert.ok(size <= MAX_BYTES && names.length <= MAX_FILES, `${size} bytes, ${names.length} files`)
      return `${(size / 1e6).toFixed(1)} MB, ${names.length} files`
    },
  )
}
