// Writes src/text/data/o200k_base.bin from a file of ranks, as tiktoken and the crates that carry it have it:
//
//   node research/make/o200k.mjs <o200k_base.tiktoken>
//
// Each line of the source is a token in base64 and its rank. The result has the tokens in the order of their ranks, each
// behind a byte of its length: half of the source, and nothing to decode. Its SHA-256 is checked by a test.

import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'

import { readArguments } from '../../scripts/arguments.mjs'

const given = readArguments('usage: o200k.mjs <o200k_base.tiktoken>\n', {}, { least: 1, most: 1 })
if (given) {
  const lines = fs.readFileSync(given.positionals[0], 'utf8').split('\n').filter(Boolean)
  const tokens = lines.map((line, at) => {
    const [text, rank] = line.split(' ')
    if (Number(rank) !== at) throw new Error(`line ${at + 1}: expected rank ${at}, got ${rank}`)
    const token = Buffer.from(text, 'base64')
    if (token.length === 0 || token.length > 255) throw new Error(`line ${at + 1}: a token of ${token.length} bytes`)
    return Buffer.concat([Buffer.of(token.length), token])
  })
  const target = path.join(import.meta.dirname, '..', '..', 'src', 'text', 'data', 'o200k_base.bin')
  fs.writeFileSync(target, Buffer.concat(tokens))
  process.stdout.write(`${tokens.length} tokens\n`)
}
