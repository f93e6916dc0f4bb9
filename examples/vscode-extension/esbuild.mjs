// SPDX-License-Identifier: Apache-2.0
//
// One file from src. The router stays outside, since it has a binary; so does what its gateway needs at run time.

import { build } from 'esbuild'

await build({
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  mainFields: ['module', 'main'], // the UMD of jsonc-parser cannot be bundled
  external: ['vscode', '@zoo-code/tool-router'],
  sourcemap: true,
  minify: true,
  logLevel: 'warning',
})
