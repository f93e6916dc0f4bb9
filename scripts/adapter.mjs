// Tunes the embedding model: adds the low-rank changes of npm/model/adapter.safetensors (trained by
// research/make/train.py) to weights of the ONNX file that pip brings. The result is the same bytes on
// every machine, and assets.lock.json pins its checksum.
//
// A weight W of the file is int8, with one scale for each column. For each pair A, B of the adapter:
//   W' = W * scale + strength * A x B,  scale' = max |column| / 127,  stored = round(W' / scale')
// (LoRA: E. Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021.)
//
// And has the graph look up word vectors before it turns them into numbers of 32 bits, not after: the runtime would keep
// the whole table so, 78 of the 140 MB that the model would take. The same vectors, bit for bit:
//   Gather(Mul(Cast(table), scales), ids)  ->  Mul(Cast(Gather(table, ids)), Gather(scales, ids))

import {
  fields,
  GRAPH_INITIALIZER,
  GRAPH_NODE,
  graphOf,
  MODEL_GRAPH,
  NODE_INPUT,
  NODE_NAME,
  NODE_OP,
  NODE_OUTPUT,
  rewritten,
  TENSOR_NAME,
  TENSOR_RAW_DATA,
  written,
} from './onnx.mjs'

const QUANTISED_MOST = 127

/** Where the raw data of each weight stands. */
function weightsOf(model) {
  const weights = new Map()
  for (const graph of fields(model, 0, model.length)) {
    if (graph.field !== MODEL_GRAPH) continue
    for (const tensor of fields(model, graph.start, graph.end)) {
      if (tensor.field !== GRAPH_INITIALIZER) continue
      let name
      let data
      for (const part of fields(model, tensor.start, tensor.end)) {
        if (part.field === TENSOR_NAME) name = model.toString('utf8', part.start, part.end)
        if (part.field === TENSOR_RAW_DATA) data = part
      }
      if (name !== undefined && data) weights.set(name, data)
    }
  }
  return weights
}

/** Half-precision float (IEEE 754 binary16). */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 0) return sign * fraction * 2 ** -24
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** The tensors of a safetensors file of half-precision floats, and its metadata. */
export function readAdapter(file) {
  const headerBytes = Number(file.readBigUInt64LE(0))
  const header = JSON.parse(file.toString('utf8', 8, 8 + headerBytes))
  const tensors = new Map()
  for (const [name, { dtype, shape, data_offsets: offsets }] of Object.entries(header)) {
    if (name === '__metadata__') continue
    const [start, end] = offsets
    const [rows, columns] = shape
    if (dtype !== 'F16' || end - start !== rows * columns * 2)
      throw new Error(`adapter: ${name} is no matrix of half-precision floats`)
    const values = new Float64Array(rows * columns)
    for (let at = 0; at < values.length; at++) values[at] = half(file.readUInt16LE(8 + headerBytes + start + 2 * at))
    tensors.set(name, { rows, columns, values })
  }
  return { tensors, metadata: header.__metadata__ ?? {} }
}

/** Adds rows x rank times rank x columns to a weight and quantises it again. Arithmetic is in double precision, in a fixed order. */
function tune(model, quantised, scales, a, b, strength) {
  const { rows, columns: rank } = a
  const { columns } = b
  const [q, s] = [model.subarray(quantised.start, quantised.end), model.subarray(scales.start, scales.end)]
  if (q.length !== rows * columns || s.length !== columns * 4 || b.rows !== rank)
    throw new Error('adapter: shapes differ from those of the model')
  const changed = new Float64Array(rows)
  for (let column = 0; column < columns; column++) {
    const scale = s.readFloatLE(column * 4)
    let most = 0
    for (let row = 0; row < rows; row++) {
      let sum = 0
      for (let at = 0; at < rank; at++) sum += a.values[row * rank + at] * b.values[at * columns + column]
      changed[row] = q.readInt8(row * columns + column) * scale + strength * sum
      most = Math.max(most, Math.abs(changed[row]))
    }
    const newScale = Math.fround(most / QUANTISED_MOST)
    s.writeFloatLE(newScale, column * 4)
    for (let row = 0; row < rows; row++) {
      const value = newScale === 0 ? 0 : Math.round(changed[row] / newScale)
      q.writeInt8(Math.max(-QUANTISED_MOST, Math.min(QUANTISED_MOST, value)), row * columns + column)
    }
  }
}

/**
 * The tuned model, whose graph looks up rows first.
 *
 * @param {Buffer} base the ONNX file as pip brings it
 * @param {Buffer} adapterFile npm/model/adapter.safetensors
 * @returns {Buffer}
 */
export function tuned(base, adapterFile) {
  const model = Buffer.from(base)
  const { tensors, metadata } = readAdapter(adapterFile)
  const weights = weightsOf(model)
  const strength = Number(metadata.strength ?? 1)
  for (const [name, a] of tensors) {
    if (!name.endsWith('.A')) continue
    const weight = name.slice(0, -2)
    const [quantised, scales, b] = [
      weights.get(`${weight}_q`),
      weights.get(`${weight}_scale`),
      tensors.get(`${weight}.B`),
    ]
    if (!quantised || !scales || !b) throw new Error(`adapter: the model has no weight ${weight}`)
    tune(model, quantised, scales, a, b, strength)
  }
  return gatherFirst(model)
}

/** A node of the graph: its place, operation, inputs and output, and all else but its name, which is for one node. */
function nodeOf(model, { from, start, end }) {
  const node = { from, end, op: '', inputs: [], output: '', rest: [] }
  for (const part of fields(model, start, end)) {
    const text = part.start === undefined ? '' : model.toString('utf8', part.start, part.end)
    if (part.field === NODE_INPUT) node.inputs.push(text)
    else if (part.field === NODE_OUTPUT) node.output = text
    else if (part.field !== NODE_NAME) node.rest.push(model.subarray(part.from, part.end))
    if (part.field === NODE_OP) node.op = text
  }
  return node
}

/** The same operation over other values. */
function over(node, inputs, output) {
  const named = inputs.map((input) => written(NODE_INPUT, Buffer.from(input)))
  return written(GRAPH_NODE, Buffer.concat([...named, written(NODE_OUTPUT, Buffer.from(output)), ...node.rest]))
}

/** The model with rows looked up before they become numbers; as it is where no table of 8 bits is looked up. */
function gatherFirst(model) {
  const graph = graphOf(model)
  const nodes = [...fields(model, graph.start, graph.end)]
    .filter(({ field }) => field === GRAPH_NODE)
    .map((field) => nodeOf(model, field))
  const maker = (name, op) => nodes.find((node) => node.output === name && node.op === op)
  for (const gather of nodes.filter(({ op }) => op === 'Gather')) {
    const [weight, ids] = gather.inputs
    const mul = maker(weight, 'Mul')
    const cast = mul && maker(mul.inputs[0], 'Cast')
    if (!cast) continue
    const [table, scales] = [cast.inputs[0], mul.inputs[1]]
    const [rows, numbers, ownScales] = [`${weight} rows`, `${weight} rows as numbers`, `${weight} scales`]
    const instead = new Map([
      [cast, []],
      [mul, []],
      [
        gather,
        [
          over(gather, [table, ids], rows),
          over(gather, [scales, ids], ownScales),
          over(cast, [rows], numbers),
          over(mul, [numbers, ownScales], gather.output),
        ],
      ],
    ])
    return rewritten(model, graph, instead)
  }
  return model
}
