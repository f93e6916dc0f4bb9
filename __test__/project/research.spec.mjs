// research/README.md is the index of what makes data and what measures.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import test from 'ava'

import { withHashes } from '../../research/make/hashes.mjs'
import { coded, ROOT, read, rows, section } from '../helpers/pages.mjs'

const INDEX = { name: 'research/README.md', text: read('research/README.md') }

test('data that ships is what the table of research says it is', (t) => {
  const made = rows(section(INDEX, 'Make'), 'output')
  t.true(made.length > 5)
  t.true(made.every(([, , , hash]) => /^`[\da-f]{16}`$/.test(hash)))
  t.is(withHashes(INDEX.text), INDEX.text)
})

test('every program that measures stands in the index, and every one there exists', (t) => {
  const programs = rows(section(INDEX, 'Measure'), 'question').flatMap(([, program]) => coded(program))
  const named = programs.filter((program) => program.endsWith('.mjs'))
  for (const program of named) t.true(existsSync(join(ROOT, 'research', program)), program)
  // What `npm run` starts, and what others import.
  const others = ['bench', 'soak', 'gateway-lanes', 'gateway-operations']
  for (const question of ['ranking', 'tasks', 'gateway', 'cost'])
    for (const file of readdirSync(join(ROOT, 'research', 'measure', question)).filter((name) => name.endsWith('.mjs')))
      t.true(named.includes(`measure/${question}/${file}`) || others.includes(file.slice(0, -4)), file)
})
