// The pages that people read, for tests of what they say.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
export const read = (name) => readFileSync(join(ROOT, name), 'utf8')

const page = (name) => ({ name, text: read(name) })

/** README and what it leads to: the pages of `docs` for users, and those of `docs/inside` for who changes the package. */
export const GUIDES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.md'))
    .sort(),
].map(page)

/** All pages, those for contributors included. */
export const PAGES = [
  ...GUIDES,
  ...['DESIGN.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'research/evaluation.md'].map(page),
]

/** The part of a page under a heading, up to the next one of its level or above. */
export function section({ name, text }, heading) {
  const [, level, rest] = new RegExp(`^(#+) ${heading}\\n([\\s\\S]*)`, 'm').exec(text) ?? []
  if (rest === undefined) throw new Error(`${name} has no section ${heading}`)
  return rest.split(new RegExp(`^#{1,${level.length}} `, 'm'))[0]
}

/** The rows of the table whose first header is `title`, as cells. */
export function rows(text, title) {
  const start = text.indexOf(`| ${title} |`)
  if (start === -1) throw new Error(`there is no table that begins with | ${title} |`)
  return text
    .slice(start)
    .split('\n\n')[0]
    .trim()
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

/** What stands between backticks in a cell. */
export const coded = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code)

/** The members of a class in index.d.ts, in their order. */
export function members(type) {
  const [, body] = new RegExp(`export declare class ${type} \\{\\n([\\s\\S]*?)\\n\\}`).exec(read('index.d.ts'))
  return [...body.matchAll(/^ {2}(?:static )?(?:get )?(\w+)\(/gm)]
    .map(([, member]) => member)
    .filter((member) => member !== 'constructor')
}
