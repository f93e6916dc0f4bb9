// The verbs of src/text/data/verbs.txt that change or destroy, with what tools are called in other languages: the gateway
// tells by them what a tool does.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** @param {string} root of the repository @returns {string} the text of packages/gateway/names/verbs.mjs */
export function verbsModule(root) {
  const text = join(root, 'src', 'text')
  const rows = lines(readFileSync(join(text, 'data', 'verbs.txt'), 'utf8')).map((line) => line.trim().split(/\s+/))
  const others = inNames(join(text, 'language'))
  const named = (isMeant) => {
    const verbs = rows.filter(([, kind, , marks]) => isMeant(kind, marks.split(','))).map(([verb]) => verb)
    return [...new Set(verbs.flatMap((verb) => [verb, ...(others.get(verb) ?? [])]))].toSorted()
  }
  const destroys = named((_, marks) => marks.includes('destroys'))
  const changes = named(
    (kind, marks) => !marks.includes('destroys') && (/^(creates|changes)$/.test(kind) || marks.includes('ordinary')),
  )
  return `// SPDX-License-Identifier: Apache-2.0
//
// Verbs of tools' names, in all languages. Written by the build from src/text/data/verbs.txt and the files of languages; do not
// edit.

${exported('CHANGING', 'They make, change, send or end something.', changes)}
${exported('DESTROYING', 'What they work on is gone afterwards.', destroys)}`
}

const lines = (text) => text.split('\n').filter((line) => line.trim() && !line.startsWith('#'))

/** What verbs are called in names in other languages, by the English verb. */
function inNames(folder) {
  const words = new Map()
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .toSorted()) {
    let section = ''
    for (const line of lines(readFileSync(join(folder, file), 'utf8'))) {
      if (line.startsWith('[')) section = line.trim()
      if (section !== '[in names]' || !line.includes('=')) continue
      const [english, own] = line.split('=').map((part) => part.trim())
      words.set(english, [...(words.get(english) ?? []), ...own.split(',').map((word) => word.trim())])
    }
  }
  return words
}

function exported(name, says, verbs) {
  return `/** ${says} */\nexport const ${name} = [\n${verbs.map((verb) => `  '${verb}',\n`).join('')}]\n`
}
