// Reads and changes ONNX files, as far as the tuned model needs it: fields of protobuf messages, and the graph among them.

/** Field numbers of onnx.proto3 that are read here. */
export const MODEL_GRAPH = 7
export const GRAPH_NODE = 1
export const GRAPH_INITIALIZER = 5
export const GRAPH_VALUE_INFO = 13
export const VALUE_INFO_NAME = 1
export const NODE_INPUT = 1
export const NODE_OUTPUT = 2
export const NODE_NAME = 3
export const NODE_OP = 4
export const TENSOR_DIMENSION = 1
export const TENSOR_NAME = 8
export const TENSOR_RAW_DATA = 9
/** Wire types of protobuf. */
export const VARINT = 0
const FIXED64 = 1
const LENGTH_DELIMITED = 2
const FIXED32 = 5

function varint(bytes, start) {
  let value = 0
  let at = start
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes[at++]
    if (byte === undefined || at - start > 10)
      throw new Error('the model is not an ONNX file: a number that does not end')
    value += (byte & 127) * factor
    if (byte < 128) return [value, at]
  }
}

/** The fields of a message with their places, except those of fixed length, which are skipped; `from` is the place of a key. */
export function* fields(bytes, start, end) {
  let at = start
  while (at < end) {
    const from = at
    let key
    ;[key, at] = varint(bytes, at)
    const [field, wire] = [Math.floor(key / 8), key % 8]
    if (wire === VARINT) {
      let value
      ;[value, at] = varint(bytes, at)
      yield { field, from, value, end: at }
    } else if (wire === FIXED64) at += 8
    else if (wire === FIXED32) at += 4
    else if (wire === LENGTH_DELIMITED) {
      let length
      ;[length, at] = varint(bytes, at)
      yield { field, from, start: at, end: at + length }
      at += length
    } else throw new Error(`the model is not an ONNX file: wire type ${wire}`)
    if (at > end) throw new Error('the model is not an ONNX file: a field goes past its end')
  }
}

export function writtenNumber(value) {
  const bytes = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest & 127) | 128)
  return [...bytes, rest]
}

/** A length-delimited field as it is written. */
export function written(field, bytes) {
  return Buffer.concat([Buffer.from([field * 8 + LENGTH_DELIMITED, ...writtenNumber(bytes.length)]), bytes])
}

export function graphOf(model) {
  const graph = [...fields(model, 0, model.length)].find(({ field }) => field === MODEL_GRAPH)
  if (!graph) throw new Error('the model is not an ONNX file: it has no graph')
  return graph
}

/** The model with other bytes instead of some fields of its graph; `instead` maps a field to them. */
export function rewritten(model, graph, instead) {
  const parts = []
  let at = graph.start
  for (const [field, made] of [...instead].toSorted(([a], [b]) => a.from - b.from)) {
    parts.push(model.subarray(at, field.from), ...made)
    at = field.end
  }
  const changed = Buffer.concat([...parts, model.subarray(at, graph.end)])
  return Buffer.concat([model.subarray(0, graph.from), written(MODEL_GRAPH, changed), model.subarray(graph.end)])
}
