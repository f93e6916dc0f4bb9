// The page as it is served is the one that its sources give, and stays small.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { ROWS } from '../../../packages/gateway/config/settings.mjs'
import { builtPage, settingTexts } from '../../../scripts/page.mjs'
import { ROOT } from '../../helpers/pages.mjs'

const BUILT = path.join(ROOT, 'packages', 'gateway', 'page', 'built')
const MAX_BYTES = 150_000

test('what is served is what the sources give; after a change: node scripts/page.mjs', async (t) => {
  const fresh = await builtPage()
  t.deepEqual(readdirSync(BUILT).toSorted(), [...fresh.keys()].toSorted())
  // Not `is`: it would print both.
  for (const [name, text] of fresh) t.true(readFileSync(path.join(BUILT, name), 'utf8') === text, name)
})

test('the page has at most 150 KB in all', (t) => {
  const sizes = readdirSync(BUILT).map((name) => readFileSync(path.join(BUILT, name)).length)
  t.true(sizes.reduce((sum, bytes) => sum + bytes, 0) <= MAX_BYTES)
})

test('the page says what each setting is', (t) => {
  t.deepEqual(Object.keys(settingTexts()).toSorted(), Object.keys(ROWS).toSorted())
  for (const [name, text] of Object.entries(settingTexts())) t.true(text.length > 10, name)
})

test('the licence of what is built in goes with it', (t) => {
  const script = readFileSync(path.join(BUILT, 'page.js'), 'utf8')
  t.regex(script, /preact [\d.]+:\n\nThe MIT License/)
  t.regex(script, /diff [\d.]+:\n\nBSD 3-Clause License/)
})
