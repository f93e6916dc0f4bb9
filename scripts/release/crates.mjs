// Which crates are in the addon.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { ROOT, run } from './tools.mjs'

/**
 * The crates that are linked into the addon on any platform: neither those that build it nor macros, which leave nothing
 * of themselves.
 *
 * @returns {{ name: string, version: string, licence: string }[]}
 */
export function linkedCrates() {
  const { napi } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const targets = napi.targets.flatMap((target) => ['--target', target])
  const tree = ['tree', '--locked', '--edges', 'normal,no-proc-macro', '--prefix', 'none', '--format', '{p}|{l}']
  const lines = run('cargo', [...tree, ...targets]).split('\n')
  const crates = new Map()
  // Empty lines stand between targets.
  for (const line of lines.filter(Boolean)) {
    const [, name, version, licence] = /^(\S+) v(\S+)[^|]*\|(.*?)(?: \(\*\))?$/.exec(line)
    // Some manifests still write "MIT/Apache-2.0" for "MIT OR Apache-2.0".
    const expression = licence.replaceAll(/ *\/ */g, ' OR ')
    if (name !== 'tool-router') crates.set(`${name} ${version}`, { name, version, licence: expression })
  }
  return [...crates.values()]
}
