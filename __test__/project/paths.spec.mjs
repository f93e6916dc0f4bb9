// What the pages name is there: files and folders of this repository, other pages, and headings that links lead to.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import test from 'ava'
import { PAGES, ROOT } from '../helpers/pages.mjs'

/** Folders that a path of this repository begins with. */
const TOP = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['node_modules', 'target', 'dist', '.cache', '.git'].includes(entry.name))
  .map(({ name }) => name.replaceAll('.', '\\.'))

const withoutPrograms = (text) => text.replaceAll(/^```(?:js|ts|json)[^\n]*\n[\s\S]*?^```/gm, '')

/** Paths from the root, such as `src/index.rs`; not those behind another slash, such as a folder in a user's cache. */
const fromRoot = (text) => text.match(new RegExp(`(?<![\\w./@-])(?:${TOP.join('|')})/[\\w./-]*\\w`, 'g')) ?? []

/** Names of files of ours without their folder, such as `fusion.rs`. */
const bare = (text) => text.match(/(?<![\w./@<-])[\w-]+\.(?:md|rs|mjs|mts|d\.ts|d\.mts)\b/g) ?? []

const links = (text) => [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target)

/** The anchor of a heading, as it is made of its text. */
const anchor = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(' ', '-')

test('every path that a page names exists', (t) => {
  let checked = 0
  for (const { name, text } of PAGES) {
    for (const named of fromRoot(withoutPrograms(text))) {
      checked += 1
      t.true(existsSync(path.join(ROOT, named)), `${name}: ${named}`)
    }
  }
  t.true(checked > 50, `${checked} paths`)
})

test('every file that a page names without its folder exists', (t) => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const known = new Set(files.split('\n').map((file) => path.basename(file)))
  for (const { name, text } of PAGES)
    for (const named of bare(withoutPrograms(text))) t.true(known.has(named), `${name}: ${named}`)
})

test('every link leads to a file of this repository, and to a heading of it', (t) => {
  for (const { name, text } of PAGES) {
    for (const target of links(text)) {
      if (/^https?:/.test(target)) continue
      const [file, heading] = target.split('#')
      const found = file === '' ? path.join(ROOT, name) : path.join(ROOT, path.dirname(name), file)
      t.true(existsSync(found), `${name}: ${target}`)
      if (heading === undefined) continue
      const headings = [...readFileSync(found, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title]) => anchor(title))
      t.true(headings.includes(heading), `${name}: ${target}`)
    }
  }
})

test('every page of docs can be reached from README.md', (t) => {
  const readme = PAGES.find(({ name }) => name === 'README.md')
  for (const { name } of PAGES)
    if (name !== 'README.md') t.true(links(readme.text).includes(name), `${name} is not linked`)
})
