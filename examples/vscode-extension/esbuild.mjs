// SPDX-License-Identifier: Apache-2.0
//
// One file for the extension and one for its gateway. The router stays outside, since it has a binary; so does what its
// gateway needs at run time.

import { build } from 'esbuild'

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  mainFields: ['module', 'main'], // the UMD of jsonc-parser cannot be bundled
  external: ['vscode', '@zoo-code/tool-router'],
  sourcemap: true,
  minify: true,
  logLevel: 'warning',
}

await build({ ...shared, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js', format: 'cjs' })
await build({ ...shared, entryPoints: ['src/agents/gateway-main.mts'], outfile: 'dist/gateway.mjs', format: 'esm' })
