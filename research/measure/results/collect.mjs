// Forty results as tools answer them: pages, lists, tables, diffs, logs and traces. Texts are those of the packages that
// examples/servers installs by its lock; what no package has is written here, by a seed, so that every machine gets the same.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { logs, orders, traces } from './written.mjs'

const PACKAGES = fileURLToPath(new URL('../../../examples/servers/node_modules', import.meta.url))
const text = (...names) => readFileSync(path.join(PACKAGES, ...names), 'utf8')

/** Changes between two versions of a file that the servers bring along, as git shows them. */
function diff(before, after) {
  const args = ['diff', '--no-index', '--no-color', '--no-ext-diff', '-U3', before, after]
  try {
    return execFileSync('git', args, { cwd: PACKAGES, encoding: 'utf8', maxBuffer: 2 ** 26 })
  } catch ({ status, stdout }) {
    if (status === 1) return stdout // they differ
    throw new Error(`git diff of ${before} and ${after} failed`)
  }
}

/** Entries of a changelog as a list of issues: titles are its lines, bodies paragraphs of the manual. */
function issues(changelog, manual, { first, label }) {
  const titles = changelog.split('\n').filter((line) => /^[*-] .{25,200}/.test(line.trim()))
  const bodies = manual.split(/\n{2,}/).filter((each) => each.length > 120 && each.length < 1_500)
  return titles.slice(0, 120).map((title, at) => ({
    number: first - at,
    title: title
      .replace(/^\s*[*-] /, '')
      .replace(/\(\[?[#a-f0-9]{5,}.*$/, '')
      .trim(),
    state: at % 3 === 0 ? 'open' : 'closed',
    user: { login: `user-${(at * 7) % 23}`, id: 1_000 + ((at * 7) % 23) },
    labels: at % 4 === 0 ? [{ name: label }] : [],
    comments: (at * 5) % 13,
    body: bodies[(at * 11) % bodies.length],
  }))
}

const json = (value) => JSON.stringify(value)
const pretty = (value) => JSON.stringify(value, null, 2)

/** Rows of media types as a table. */
function mediaTypes(separator) {
  const all = Object.entries(JSON.parse(text('mime-db', 'db.json')))
  const rows = all.map(([type, { source = '', extensions = [], compressible = '' }]) =>
    [type, source, extensions.join(' '), compressible].join(separator),
  )
  return [['type', 'source', 'extensions', 'compressible'].join(separator), ...rows].join('\n')
}

function packagesTable() {
  const { packages } = JSON.parse(text('.package-lock.json'))
  const rows = Object.entries(packages).map(
    ([at, { version, license = '', engines }]) =>
      `| ${at.replace(/^.*node_modules\//, '')} | ${version} | ${license} | ${engines?.node ?? ''} |`,
  )
  return ['| package | version | licence | node |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

const undici = ['@zereight/mcp-gitlab', 'node_modules', 'undici', 'docs', 'docs', 'api', 'Dispatcher.md']

/** Results by name: each is made when it is asked for. */
export const RESULTS = {
  // Pages.
  'axios-changelog': () => text('axios', 'CHANGELOG.md'),
  'axios-readme': () => text('axios', 'README.md'),
  'playwright-mcp': () => text('@playwright', 'mcp', 'README.md'),
  'qs-readme': () => text('qs', 'README.md'),
  'undici-dispatcher': () => text(...undici),
  'pino-api': () => text('pino', 'docs', 'api.md'),
  'pino-transports': () => text('pino', 'docs', 'transports.md'),
  'commander-readme': () => text('commander', 'Readme.md'),
  'glob-readme': () => text('glob', 'README.md'),
  'semver-readme': () => text('semver', 'README.md'),
  'express-history': () => text('@notionhq', 'notion-mcp-server', 'node_modules', 'express', 'History.md'),
  'helmet-changelog': () => text('helmet', 'CHANGELOG.md'),
  // Code and HTML.
  'node-child-process': () => text('@types', 'node', 'child_process.d.ts'),
  'node-zlib': () => text('@types', 'node', 'zlib.d.ts'),
  'typedoc-html': () => text('await-to-js', 'dist', 'docs', 'globals.html'),
  // JSON.
  'package-lock': () => text('.package-lock.json'),
  'mime-db': () => text('mime-db', 'db.json'),
  'openapi-schema': () => text('openapi-schema-validator', 'dist', 'resources', 'openapi-3.0.json'),
  'notion-openapi': () => text('@notionhq', 'notion-mcp-server', 'scripts', 'notion-openapi.json'),
  'playwright-help': () => json(JSON.parse(text('playwright-core', 'lib', 'tools', 'cli-client', 'help.json'))),
  'issues-axios': () =>
    json({
      total_count: 120,
      items: issues(text('axios', 'CHANGELOG.md'), text('axios', 'README.md'), { first: 6_400, label: 'bug' }),
    }),
  'issues-express': () =>
    pretty(
      issues(text('@notionhq', 'notion-mcp-server', 'node_modules', 'express', 'History.md'), text('qs', 'README.md'), {
        first: 5_200,
        label: 'router',
      }),
    ),
  'issues-lines': () =>
    issues(text('form-data', 'CHANGELOG.md'), text('pino', 'docs', 'api.md'), { first: 580, label: 'help wanted' })
      .map(json)
      .join('\n'),
  'pages-in-json': () =>
    json({
      results: ['glob/README.md', 'semver/README.md', 'undici/README.md'].map((name) => ({
        url: `https://example.org/${name}`,
        text: text(...name.split('/')),
      })),
    }),
  // Tables.
  'types-csv': () => mediaTypes(','),
  'types-tsv': () => mediaTypes('\t'),
  'packages-table': packagesTable,
  'orders-csv': () => orders(900),
  // Diffs.
  'diff-commander': () => diff('@upstash/context7-mcp/node_modules/commander/Readme.md', 'commander/Readme.md'),
  'diff-undici': () => diff(undici.join('/'), 'undici/docs/docs/api/Dispatcher.md'),
  'diff-qs': () => diff('@notionhq/notion-mcp-server/node_modules/qs/README.md', 'qs/README.md'),
  'diff-node-fs': () => diff('image-q/node_modules/@types/node/fs/promises.d.ts', '@types/node/fs/promises.d.ts'),
  'diff-zod': () => diff('@hubspot/mcp-server/node_modules/zod/v4/core/schemas.d.ts', 'zod/v4/core/schemas.d.ts'),
  // Logs and traces.
  'log-shop': () => logs('shop'),
  'log-access': () => logs('access'),
  'log-build': () => logs('build'),
  'log-syslog': () => logs('syslog'),
  'log-json': () => logs('json'),
  'traces-node': () => traces('node'),
  'traces-python': () => traces('python'),
}

/** Whether the packages are installed. */
export const isInstalled = () => existsSync(path.join(PACKAGES, 'axios', 'README.md'))
