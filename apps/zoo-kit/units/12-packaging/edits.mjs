// One VSIX for each target, with the addon of that target, and the universal one for all other places. Nothing is fetched where
// the version of the addon is not set: the universal VSIX is then what it was.

import { SyntaxKind } from 'ts-morph'

import { expectCount } from '../../tree.mjs'

const BUILD = 'packages/build/src/index.ts'
const BUNDLE = 'src/esbuild.mjs'
const IGNORE = 'src/.vscodeignore'
const WORKFLOW = '.github/workflows/marketplace-publish.yml'
const MANIFEST = 'package.json'

/** @param {ReturnType<typeof import('../../tree.mjs').openTree>} tree */
export function edit({ source, text }) {
  source(BUILD).addStatements('export { copyToolRouter, TOOL_ROUTER_TARGETS } from "./toolRouter.js"')
  editBundle(source(BUNDLE))
  text(
    IGNORE,
    (lines) =>
      `${lines.trimEnd()}\n\n# The addon of one target, where the bundle looks for it\n!dist/node_modules/@zoo-code/**\n`,
  )
  text(MANIFEST, (json) =>
    replaceOnce(
      json,
      '"vsix": "turbo vsix',
      '"vsix:targets": "node scripts/vsix-targets.mjs",\n\t\t"vsix": "turbo vsix',
    ),
  )
  text(WORKFLOW, editWorkflow)
}

/** Whether a tree has it already. */
export const isDone = ({ source }) => source(BUILD).getExportDeclaration('./toolRouter.js') !== undefined

function replaceOnce(text, from, to) {
  expectCount(text.split(from).slice(1), 1, from)
  return text.replace(from, () => to)
}

function editBundle(file) {
  file.getImportDeclarationOrThrow('@roo-code/build').addNamedImport('copyToolRouter')
  const [plugins] = expectCount(
    file.getDescendantsOfKind(SyntaxKind.VariableDeclaration).filter((each) => each.getName() === 'plugins'),
    1,
    'plugins',
  )
  plugins
    .getInitializerIfKindOrThrow(SyntaxKind.ArrayLiteralExpression)
    .insertElement(
      2,
      [
        '{',
        '\tname: "copyToolRouter",',
        '\tsetup(build) {',
        '\t\tconst { TOOL_ROUTER_TARGET: target, TOOL_ROUTER_FROM: from } = process.env',
        '\t\tbuild.onEnd(() => void copyToolRouter({ target, from, dist: distDir }))',
        '\t},',
        '}',
      ].join('\n'),
    )
}

const FETCH = `      - name: Fetch the tool router of all targets
        if: vars.TOOL_ROUTER_VERSION != ''
        env:
          VERSION: \${{ vars.TOOL_ROUTER_VERSION }}
        run: |
          folder="$RUNNER_TEMP/tool-router"
          packages="@zoo-code/tool-router@$VERSION @zoo-code/tool-router-model@$VERSION"
          for platform in linux-x64-gnu linux-arm64-gnu linux-x64-musl linux-arm64-musl darwin-x64 darwin-arm64 win32-x64-msvc win32-arm64-msvc; do
            packages="$packages @zoo-code/tool-router-$platform@$VERSION"
          done
          # Forced, since most of them are for other platforms.
          npm install --force --ignore-scripts --no-save --prefix "$folder" $packages
          echo "TOOL_ROUTER_FROM=$folder" >> "$GITHUB_ENV"

`
const PACKAGE = `      - name: Package for each target
        if: vars.TOOL_ROUTER_VERSION != ''
        env:
          POSTHOG_API_KEY: \${{ secrets.POSTHOG_API_KEY }}
        run: node scripts/vsix-targets.mjs

`

/** All of a version are published together: the universal one is for places that have no target. */
function editWorkflow(text) {
  const before = (place, step) => (known) => replaceOnce(known, place, step + place)
  const version = 'bin/zoo-code-${package_version}.vsix"'
  return [
    before('      - name: Package extension\n', FETCH),
    before('      - name: Publish to VS Code Marketplace\n', PACKAGE),
    (known) =>
      replaceOnce(known, `vsce publish --packagePath "${version}`, 'vsce publish --packagePath bin/zoo-code-*.vsix'),
    (known) => replaceOnce(known, `ovsx publish "${version}`, 'ovsx publish --packagePath bin/zoo-code-*.vsix'),
  ].reduce((known, change) => change(known), text)
}
