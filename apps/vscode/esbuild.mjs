// One file for the extension, and one for each program that it starts, which share what they have in common. The router stays
// outside, since it has a binary; its gateway is bundled, so that neither it nor the SDK is packed twice.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { build } from 'esbuild'

/** Only what asks for more than a file of servers loads these, and only where they are installed. */
const OPTIONAL = ['pg', '@opentelemetry/*', 'quickjs-emscripten']
/** What a file requires late is bundled too. */
const REQUIRED = /^const require = createRequire\(import\.meta\.url\)$/m
/** The page of a gateway over HTTP, which is not started here. */
const PAGE = /readFileSync\(new URL\(`built\/\$\{name\}`, import\.meta\.url\)\)/
const router = {
  name: 'router',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^@zoo-code\/tool-router(\/internal)?$/ }, ({ path }) => ({ path, external: true }))
    // Its CommonJS form asks for files of its own late; its other form has no default, which the gateway imports.
    onResolve({ filter: /^jsonc-parser$/ }, ({ resolveDir }) => ({ path: resolveDir, namespace: 'jsonc' }))
    onLoad({ filter: /.*/, namespace: 'jsonc' }, ({ path }) => ({
      contents: "export * from 'jsonc-parser/lib/esm/main.js'; export * as default from 'jsonc-parser/lib/esm/main.js'",
      resolveDir: path,
    }))
    onLoad({ filter: /[\\/]tool-router-gateway[\\/].*\.mjs$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(REQUIRED, '').replace(PAGE, "''"),
      loader: 'js',
    }))
  },
}
const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  external: ['vscode', ...OPTIONAL],
  plugins: [router],
  sourcemap: true,
  minify: true,
  logLevel: 'warning',
  metafile: true,
}

const extension = await build({
  ...shared,
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  format: 'cjs',
})
const programs = await build({
  ...shared,
  entryPoints: { gateway: 'src/agents/gateway-main.mts', login: 'src/agents/login-main.mjs' },
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  chunkNames: 'chunk-[hash]',
  format: 'esm',
  splitting: true,
  // Packages of the CommonJS kind ask for Node's own modules.
  banner: { js: "import{createRequire as r}from'node:module';const require=r(import.meta.url);" },
})

/** What was bundled of others, with their licences. */
const inputs = [extension, programs]
  .flatMap(({ metafile }) => Object.keys(metafile.inputs))
  .filter((file) => !file.startsWith('jsonc:'))
const folders = new Set(inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []))
const texts = [...folders]
  .filter((folder) => !folder.includes('@zoo-code/tool-router'))
  .sort()
  .map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
    return `${name} ${version}, ${license}\n\n${file ? readFileSync(join(folder, file), 'utf8') : ''}`
  })
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', texts.join('\n\n'))
