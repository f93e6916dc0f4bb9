// The rows of the settings, with their bounds.
import { createRequire } from 'node:module'

import { read } from './pages.mjs'

const require = createRequire(import.meta.url)

/** The addon's file itself: the loader does not pass on what is only for tests. */
export const addon = () => require(Object.keys(require.cache).find((file) => file.endsWith('.node')))

/** The rows of the settings: name, range, default. */
export const ROWS = JSON.parse(addon().__settingRows())

/** The bounds of every row that takes a number. */
export const COUNTS = Object.fromEntries([
  ...ROWS.filter(({ range }) => range).map(({ name, range }) => [name, range]),
  ['initialK', [0, 1000]],
])

/** The codes of errors that index.d.ts declares. */
export const CODES = [
  ...read('index.d.ts')
    .match(/export type ToolRouterErrorCode =([\s\S]*?)\n\n/)[1]
    .matchAll(/'(ERR_[A-Z_]+)'/g),
].map(([, code]) => code)
