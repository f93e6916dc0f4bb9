// CONTRIBUTING.md's recipes for a language and for an adjustment of the order, followed as they are written. The core is built and
// tested with what they made where TOOL_ROUTER_RECIPES=1 asks for it: that takes cargo some minutes.
import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'

import { read, ROOT } from '../helpers/pages.mjs'
import { where } from '../helpers/skips.mjs'
import { tempDir } from '../helpers/temp.mjs'

const LANGUAGES = 'src/text/language'
const lines = (text) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
const glossed = (text) =>
  text
    .split(/^\[gloss\]$/m)[1]
    .split(/^\[/m)[0]
    .split('\n')
    .flatMap((line) => /^([^#=]+) = /.exec(line)?.[1] ?? [])

/** What a newcomer fills in: every line of the template that Danish has, words for those that stand empty. */
function danish() {
  const words = { function_words: 'og, er, på, til, ikke', negations: 'ikke, uden', small_talk: 'tak, hej' }
  const template = lines(read(`${LANGUAGES}/TEMPLATE`))
  const head = template.slice(0, template.indexOf('[gloss]')).flatMap((line) => {
    const name = line.split(' =')[0]
    if (name === 'order') return [line]
    return words[name] ? [`${name} = ${words[name]}`] : []
  })
  return [
    ...head,
    '[gloss]',
    'create = opret*',
    'add = tilføj*',
    'find search = find, søg*',
    '[everyday]',
    'contract agreement = kontrakt*',
    '',
  ].join('\n')
}

const ADJUSTMENT = `//! A row that follows the recipe.

use super::task::{Ground, Request, Task};
use crate::ranking::Ranking;

/// Lifts what stands first.
pub fn lift(ranking: &mut Ranking, _: Ground<'_>, _: &Request<'_>, _: &Task<'_>) {
    if let Some(tool) = ranking.tools.first_mut() {
        tool.adjust(|shares| shares.of_recipe = 1.0);
    }
}

#[cfg(test)]
mod tests {
    use crate::ranking::Shares;

    #[test]
    fn it_is_part_of_a_score() {
        assert!((Shares { of_recipe: 1.0, ..Shares::default() }.score() - 1.0).abs() < 1e-9);
    }
}
`

/** The recipe's edits: where, what is looked for, what stands there then. */
const EDITS = [
  ['src/order/mod.rs', /^mod of_parent;$/m, 'mod of_parent;\nmod of_recipe;'],
  ['src/order/mod.rs', /(?<=ADJUST: \[Adjustment; )\d+/, (count) => Number(count) + 1],
  [
    'src/order/mod.rs',
    /^ {4}Adjustment \{ name: "parent task".*$/m,
    (row) =>
      `${row}\n    Adjustment { name: "recipe", share: |shares| shares.of_recipe, step: Step::OfTask(of_recipe::lift) },`,
  ],
  ['src/order/mod.rs', /(?<=of_parent: )64\.0,/, '64.0,\n            of_recipe: 128.0,'],
  [
    'src/ranking/answer.rs',
    /^ {4}pub of_parent: f64,$/m,
    '    pub of_parent: f64,\n    /// What the recipe added.\n    pub of_recipe: f64,',
  ],
  ['src/ranking/answer.rs', /(?<=fn score\(&self\) -> f64 \{\n {8}).*/, (sum) => `${sum} + self.of_recipe`],
  ['src/binding/answers/ranking.rs', /(?= \| 'parent task'")|(?<='parent task')(?=")/, " | 'recipe'"],
]

/** Follows both recipes in a tree. */
function follow(tree) {
  writeFileSync(path.join(tree, LANGUAGES, 'da.txt'), danish())
  writeFileSync(path.join(tree, 'src/order/of_recipe.rs'), ADJUSTMENT)
  for (const [file, pattern, made] of EDITS) {
    const text = readFileSync(path.join(tree, file), 'utf8')
    if (!pattern.test(text)) throw new Error(`${file} has no ${pattern}`)
    writeFileSync(path.join(tree, file), text.replace(pattern, made))
  }
}

test('the template of a language has groups of German in their order, and lines that the core reads', (t) => {
  const template = read(`${LANGUAGES}/TEMPLATE`)
  const german = glossed(read(`${LANGUAGES}/de.txt`))
  for (const made of [glossed(template), glossed(danish())]) {
    const places = made.map((group) => german.indexOf(group))
    t.true(places.length > 1 && !places.includes(-1), `${made} are groups of de.txt`)
    t.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    )
  }
  const reads = read(`${LANGUAGES}/mod.rs`)
  const head = lines(template.split('[gloss]')[0]).map((line) => line.split(' =')[0])
  t.true(head.length > 10)
  for (const name of head) t.true(reads.includes(`"${name}" =>`), name)
  for (const [, section] of template.matchAll(/^(\[[\w ]+\])$/gm)) t.true(reads.includes(section), section)
})

/** A copy of what git has here, as it lies in this folder, beside what is fetched. */
function copyOfTree(t, ...folders) {
  const tree = tempDir(t)
  const files = execFileSync('git', ['ls-files', ...folders], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
  for (const file of files.filter((name) => !name.startsWith('npm/'))) {
    mkdirSync(path.join(tree, path.dirname(file)), { recursive: true })
    copyFileSync(path.join(ROOT, file), path.join(tree, file))
  }
  symlinkSync(path.join(ROOT, 'npm'), path.join(tree, 'npm'), 'junction')
  return tree
}

test('both recipes find the places that they name', (t) => {
  t.notThrows(() => follow(copyOfTree(t, 'src/order', 'src/ranking', 'src/binding/answers', LANGUAGES)))
})

const asked = where(process.env.TOOL_ROUTER_RECIPES === '1', 'minutes of cargo; TOOL_ROUTER_RECIPES=1 asks for them')

asked('both recipes give a core that passes its tests of languages and of the order', async (t) => {
  t.timeout(3_600_000)
  const tree = copyOfTree(t)
  follow(tree)
  const env = { ...process.env, CARGO_TARGET_DIR: path.join(ROOT, 'target') }
  for (const word of ['language', 'order']) {
    const { stdout } = await promisify(execFile)('cargo', ['t', '--lib', word], { cwd: tree, env, maxBuffer: 2 ** 26 })
    t.regex(stdout, /test result: ok\. [1-9]/, word)
  }
})
