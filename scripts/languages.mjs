// Adds words of other languages than English to the embedding model: the rows of npm/model/languages.bin to its table of
// words, and their pieces (languages.txt) to its tokenizer. How they were learned: research/make/languages. They were chosen so
// that none of 97,000 English texts has one in it; such texts keep their vectors, bit for bit.

import {
  fields,
  GRAPH_INITIALIZER,
  GRAPH_VALUE_INFO,
  graphOf,
  rewritten,
  TENSOR_DIMENSION,
  TENSOR_NAME,
  TENSOR_RAW_DATA,
  VALUE_INFO_NAME,
  VARINT,
  written,
  writtenNumber,
} from './onnx.mjs'

const DIMENSIONS = 384
const SCALE_BYTES = 4
/** The table of words. */
const TABLE = 'inner.embeddings.word_embeddings.weight'
/** Characters of scripts without spaces. They stand in long runs, and WordPiece gives up on a word of over 100. */
const UNSPACED = '\\p{Han}\\p{Hiragana}\\p{Katakana}ー々'
/** The longest run that is one word, as when the pieces were learned (pieces.py). */
const MOST_RUN = 32
const MOST_THAI = 64

/** A tensor of rows with more of them. */
function longer(model, tensor, more) {
  const parts = [...fields(model, tensor.start, tensor.end)]
  const data = parts.find(({ field }) => field === TENSOR_RAW_DATA)
  const [rows, ...columns] = parts.filter(({ field }) => field === TENSOR_DIMENSION).map(({ value }) => value)
  if (!data || !rows) throw new Error('languages: the table of words has no raw data, or no dimensions')
  const rowBytes = (data.end - data.start) / rows
  const dimensions = [rows + more.length / rowBytes, ...columns].flatMap((n) => [
    TENSOR_DIMENSION * 8 + VARINT,
    ...writtenNumber(n),
  ])
  const rest = parts.filter((part) => part !== data && part.field !== TENSOR_DIMENSION)
  return written(
    GRAPH_INITIALIZER,
    Buffer.concat([
      Buffer.from(dimensions),
      ...rest.map(({ from, end }) => model.subarray(from, end)),
      written(TENSOR_RAW_DATA, Buffer.concat([model.subarray(data.start, data.end), more])),
    ]),
  )
}

/**
 * The model with more rows in its table of words. What the graph notes of the table's shape goes: it is of the old one.
 *
 * @param {Buffer} model
 * @param {Buffer} rows npm/model/languages.bin: the numbers of all rows, 8 bits each, then a scale for each row, 32 bits
 */
export function withRows(model, rows) {
  const graph = graphOf(model)
  const nameOf = (part, key) => {
    const name = [...fields(model, part.start, part.end)].find(({ field }) => field === key)
    return name && model.toString('utf8', name.start, name.end)
  }
  const count = rows.length / (DIMENSIONS + SCALE_BYTES)
  if (!Number.isInteger(count))
    throw new Error(`languages.bin: expected a multiple of ${DIMENSIONS + SCALE_BYTES} bytes, got ${rows.length}`)
  const scales = count * DIMENSIONS
  const more = new Map([
    [`${TABLE}_q`, rows.subarray(0, scales)],
    [`${TABLE}_scale`, rows.subarray(scales)],
  ])
  const instead = new Map()
  for (const part of fields(model, graph.start, graph.end)) {
    if (part.field === GRAPH_VALUE_INFO && nameOf(part, VALUE_INFO_NAME) === TABLE) instead.set(part, [])
    if (part.field !== GRAPH_INITIALIZER) continue
    const name = nameOf(part, TENSOR_NAME)
    if (more.has(name)) instead.set(part, [longer(model, part, more.get(name))])
    more.delete(name)
  }
  if (more.size > 0) throw new Error(`languages: the model has no ${[...more.keys()].join(', ')}`)
  return rewritten(model, graph, instead)
}

/**
 * The tokenizer with more pieces, which splits runs of Chinese and Japanese by pieces, not character by character.
 *
 * @param {Buffer} tokenizer tokenizer.json as pip brings it
 * @param {Buffer} pieces npm/model/languages.txt: one on a line, in the order of their rows
 * @returns {Buffer}
 */
export function withPieces(tokenizer, pieces) {
  const parsed = JSON.parse(tokenizer)
  const { vocab } = parsed.model
  let row = Object.keys(vocab).length
  for (const piece of pieces.toString().trimEnd().split('\n')) {
    if (!piece || Object.hasOwn(vocab, piece)) throw new Error(`languages.txt: "${piece}" is empty, or known already`)
    vocab[piece] = row++
  }
  const runs = Object.keys(vocab)
    .filter((piece) => /^##[\u3005-\u9fff]$/.test(piece) && piece.slice(2) in vocab)
    .map((piece) => piece[2])
    .toSorted()
  // A character that is not a piece stands alone, so that its neighbours are not lost with it.
  const Regex = `[${runs.join('')}]{1,${MOST_RUN}}|[${UNSPACED}]|\\p{Thai}{1,${MOST_THAI}}`
  const split = { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false }
  parsed.normalizer.handle_chinese_chars = false
  parsed.pre_tokenizer = { type: 'Sequence', pretokenizers: [parsed.pre_tokenizer, split] }
  return Buffer.from(JSON.stringify(parsed))
}
