// Command lines of pages: what each runs is there, and takes what it is given. Whoever adds a line with a program that is not in
// the table below says how it is checked.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import test from 'ava'

import { COMMANDS } from '../../packages/gateway/cli/commands.mjs'
import { readCommand } from '../../packages/gateway/cli/usage.mjs'
import { PAGES, ROOT, read } from '../helpers/pages.mjs'

const manifests = ['package.json', 'packages/gateway/package.json'].map((file) => JSON.parse(read(file)))
const KNOWN = new Set(
  manifests.flatMap(({ name, devDependencies, dependencies, peerDependencies }) => [
    name,
    ...Object.keys({ ...devDependencies, ...dependencies, ...peerDependencies }),
  ]),
)
/** What stands for something of the reader: a name in angle brackets, a path of his machine. */
const isTheirs = (word) => /[<>…$]|^\/path\/to\//.test(word)

/** Where a command line is followed: the root, or the folder of its page. */
function checksIn(folder) {
  const placeOf = (file) =>
    [folder, '.'].map((base) => path.join(base, file)).find((each) => existsSync(path.join(ROOT, each)))
  const missing = (file) => (isTheirs(file) || placeOf(file) ? undefined : `there is no ${file}`)
  const manifest = path.join(folder, 'package.json')
  const scripts = {
    ...manifests[0].scripts,
    ...(existsSync(path.join(ROOT, manifest)) && JSON.parse(read(manifest)).scripts),
  }

  /** Options that a program of ours reads, and files that it is given. */
  function ofProgram([file, ...args]) {
    if (missing(file)) return missing(file)
    const text = read(placeOf(file))
    for (const arg of args) {
      const option = /^--([\w-]+)/.exec(arg)?.[1]
      if (option && !new RegExp(`\\b${option}\\b`).test(text)) return `${file} knows no --${option}`
      if (/^(docs|examples|research|scripts|__test__)\//.test(arg) && missing(arg)) return missing(arg)
    }
    return undefined
  }

  function ofNpm([verb, ...args]) {
    if (verb === 'install')
      return args.find((arg) => !/^-/.test(arg) && !isTheirs(arg) && !KNOWN.has(arg.replace(/(?<=.)@\d+$/, '')))
    if (!['run', 'test'].includes(verb)) return OF_NPM.includes(verb) ? undefined : `npm ${verb}`
    const [name, ...given] = verb === 'test' ? ['test', ...args] : args
    if (!scripts[name]) return `there is no script ${name}`
    if (name === 'test:vscode' && given[1] === '--only')
      return given[2]
        .split(',')
        .map((part) => missing(`scripts/vscode/parts/${part}.mjs`))
        .find(Boolean)
    return given
      .filter((arg) => arg.startsWith('__test__/'))
      .map(missing)
      .find(Boolean)
  }

  function ofGateway(args) {
    if (args.length === 0 || (args.length === 1 && args[0] in COMMANDS)) return undefined
    try {
      readCommand(args)
      return undefined
    } catch ({ message }) {
      return message.split('\n')[0]
    }
  }

  return {
    node: ofProgram,
    python3: ofProgram,
    npm: ofNpm,
    npx: (words) => {
      const [name, ...args] = words.filter((word) => word !== '-y')
      if (name === '@zoo-code/tool-router-gateway') return ofGateway(args)
      return name === 'ava' ? args.map(missing).find(Boolean) : `npx ${name}`
    },
    'tool-router-gateway': ofGateway,
    bash: ([file]) => missing(file),
    pip: ([verb, from]) => (verb === 'install' ? missing(`${from}/pyproject.toml`) : `pip ${verb}`),
    cd: ([to], before) => (before.includes(to) ? undefined : missing(to)),
    docker: (words) => (words[0] === 'build' ? missing(words[words.indexOf('--file') + 1]) : undefined),
    kubectl: (words) => {
      const at = words.indexOf('--kustomize')
      if (at !== -1) return missing(`${words[at + 1]}/kustomization.yaml`)
      const [inside, ...args] = words.slice(words.indexOf('--') + 1)
      return inside === 'tool-router-gateway' ? ofGateway(args) : undefined
    },
    code: ([, file]) => (/^dist\/mcp-tool-router-[\w-]+\.vsix$/.test(file) ? undefined : file),
  }
}
const OF_NPM = ['ci', 'audit', 'publish', 'unpublish', 'dist-tag', 'deprecate']
/** Programs of others, whose words no test of ours can read, and words of the shell. */
const OTHERS = ['git', 'cargo', 'psql', 'pg_dump', 'pg_restore', 'apt-get', 'export', 'for', 'do', 'done']
const SPLIT = ['&&', '||', ';']
const words = (line) =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'";])+|;/g)].map(([word]) => word.replaceAll(/['"]/g, ''))

/** What is wrong with a command line; undefined where nothing is. */
function wrong(line, page = 'README.md') {
  const checks = checksIn(path.dirname(page))
  const said = []
  for (let rest = words(line); rest.length > 0; ) {
    const end = rest.findIndex((word) => SPLIT.includes(word))
    const command = rest.slice(0, end === -1 ? rest.length : end)
    rest = end === -1 ? [] : rest.slice(end + 1)
    const [program, ...args] = command.slice(command.findIndex((word) => !/^[A-Z_]+=/.test(word)))
    const problem = OTHERS.includes(program)
      ? undefined
      : checks[program]
        ? checks[program](args, said)
        : `nobody knows ${program}`
    if (problem !== undefined) return problem
    said.push(...command)
  }
  return undefined
}

/** The command lines of a page: those of its blocks, and what stands in its text with something behind the program. */
function linesOf(text) {
  const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, block]) =>
    block.replaceAll(/\s*\\\n\s*/g, ' ').split('\n'),
  )
  const prose = text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
  const inline = [...prose.matchAll(/`([^`]+)`/g)].map(([, code]) => code.replaceAll(/\s+/g, ' '))
  const known = new RegExp(`^(?:[A-Z_]+=\\S+ )*(?:${[...Object.keys(checksIn('.')), ...OTHERS].join('|')}) `)
  return [...blocks, ...inline.filter((code) => known.test(code))]
    .map((line) => line.replace(/(^|\s+)#.*$/, '').trim())
    .filter((line) => line !== '')
}

const names = execFileSync('git', ['ls-files', '*README.md'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
const all = new Map(
  [...PAGES, ...names.map((name) => ({ name, text: read(name) }))].map((page) => [page.name, page.text]),
)

test('every command line of a page runs what is there, with options that it has', (t) => {
  const lines = [...all].flatMap(([name, text]) => linesOf(text).map((line) => [name, line]))
  t.true(lines.length > 100, `${lines.length} lines`)
  t.deepEqual(
    lines.flatMap(([name, line]) => {
      const problem = wrong(line, name)
      return problem === undefined ? [] : [`${name}: ${line}: ${problem}`]
    }),
    [],
  )
})

test('a command line that cannot be followed is found', (t) => {
  for (const line of [
    'pip install ./python',
    'git clone <this repository> here && cd there',
    'node scripts/gone.mjs',
    'node scripts/pack.mjs --unheard',
    'npm run nothing',
    'npm run test:vscode -- --only nothing',
    'npx ava __test__/gone.spec.mjs',
    'npx @zoo-code/tool-router-gateway doctor --confg mcp.json',
    'A=b kubectl exec x -- tool-router-gateway add-ky ann',
    'unheard of',
  ])
    t.not(wrong(line), undefined, line)
  t.is(wrong('git clone <this repository> tool-router && cd tool-router'), undefined)
})
