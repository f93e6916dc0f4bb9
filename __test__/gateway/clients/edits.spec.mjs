// One entry of a client's file changes, and every other byte of it stays.
import test from 'ava'
import fc from 'fast-check'
import { stringify } from 'yaml'

import { changed } from '../../../packages/gateway/clients/edits.mjs'

const OWN = { cmd: 'npx', args: ['-y', 'a b'], type: 'stdio' }
const GOOSE = `# my goose
GOOSE_MODEL: "gpt"   # the one that works
extensions:
    developer: {enabled: true, type: builtin}   # on
    # what the team wants
    git:
        cmd: 'git-server'
        args:
        - --repo   # the shop
        - ~/shop
        envs: {}

other: [1,2,
  3]
`

test('an entry is put into a file of YAML, changed and taken out again, and what else stands there keeps its bytes', (t) => {
  const edit = (text, name, entry) => changed(text, 'config.yaml', 'extensions', new Map([[name, entry]]))
  const added = edit(GOOSE, 'tools', OWN)
  t.is(
    added,
    GOOSE.replace(
      'envs: {}\n',
      'envs: {}\n    tools:\n      cmd: npx\n      args:\n        - -y\n        - a b\n      type: stdio\n',
    ),
  )
  t.is(edit(added, 'tools', undefined), GOOSE)
  const [before, after] = GOOSE.split(/ {4}git:[\s\S]*envs: \{\}\n/)
  t.is(edit(GOOSE, 'git', { cmd: 'other' }), `${before}    git:\n      cmd: other\n${after}`)
  t.is(edit(GOOSE, 'git', undefined), before + after)
  t.is(edit('a: {b: 1}  # own\n', 'tools', { cmd: 'x' }), 'a: {b: 1}  # own\nextensions:\n  tools:\n    cmd: x\n')
  t.is(edit(GOOSE.replaceAll('\n', '\r\n'), 'tools', OWN), added.replaceAll('\n', '\r\n'))
})

test('the same holds for any entries, in whatever indent and with whatever comments', (t) => {
  const value = fc.oneof(fc.string(), fc.boolean(), fc.array(fc.string(), { maxLength: 3 }))
  const entry = fc.dictionary(fc.constantFrom('cmd', 'args', 'x y', '-'), value, { minKeys: 1, maxKeys: 3 })
  const entries = fc.dictionary(fc.constantFrom('git', 'a b', '#', 'yes', '1'), entry, { minKeys: 1, maxKeys: 4 })
  fc.assert(
    fc.property(entries, fc.constantFrom(2, 3, 4), fc.constantFrom('', '# a\n', '\n'), (given, indent, between) => {
      const text = `${between}first: {a: 1}\n${stringify({ extensions: given }, { indent, lineWidth: 0 })}${between}last: 'x'\n`
      const added = changed(text, 'a.yaml', 'extensions', new Map([['tools', OWN]]))
      return changed(added, 'a.yaml', 'extensions', new Map([['tools', undefined]])) === text
    }),
    { numRuns: 500 },
  )
  t.pass()
})
