import test from 'ava'

import { readAdapter, tuned } from '../../scripts/adapter.mjs'

const varint = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))])
const field = (number, bytes) => Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length), ...bytes])
const tensor = (name, data) => field(5, Buffer.concat([field(9, data), field(8, Buffer.from(name))]))
/** A file with the parts of an ONNX model that matter here, and a field before them that does not. */
const onnx = (tensors) => Buffer.concat([Buffer.from([8, 7]), field(7, Buffer.concat(tensors))])
const floats = (values) => Buffer.from(Float32Array.from(values).buffer)

/** Half-precision floats; the values given here are exact in it. */
const halves = { 0: 0, 1: 0x3c00, '-1': 0xbc00, 2: 0x4000, 0.5: 0x3800 }
function adapter(tensors, strength = '1') {
  const header = { __metadata__: { strength } }
  const data = []
  for (const [name, { shape, values }] of Object.entries(tensors)) {
    const start = data.length
    for (const value of values) data.push(halves[value] & 255, halves[value] >> 8)
    header[name] = { dtype: 'F16', shape, data_offsets: [start, data.length] }
  }
  const text = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  return Buffer.concat([length, text, Buffer.from(data)])
}

// A weight of 2 rows and 3 columns: q * scale = [[0.5, 2, 0], [1, -4, 0]].
const q = Buffer.from(Int8Array.from([64, 63, 0, 127, -127, 0]).buffer)
const base = onnx([
  tensor('w_q', q),
  tensor('other', Buffer.from([1, 2, 3])),
  tensor('w_scale', floats([1 / 127, 4 / 127, 0])),
])
const parts = { 'w.A': { shape: [2, 1], values: [1, 2] }, 'w.B': { shape: [1, 3], values: [1, 0, 0.5] } }

test('a tuned weight is the weight plus A times B, quantised again column by column', (t) => {
  const model = tuned(base, adapter(parts))
  // Sums: [[0.5 + 1, 2, 0.5], [1 + 2, -4, 1]]; each column's largest becomes 127.
  const scales = [3 / 127, 4 / 127, 1 / 127].map(Math.fround)
  const sums = [64 / 127 + 1, (63 * 4) / 127, 0.5, 3, -4, 1]
  const stored = Int8Array.from(sums.map((value, at) => Math.round(value / scales[at % 3])))
  t.true(model.includes(Buffer.from(stored.buffer)))
  t.true(model.includes(floats(scales)))
  t.is(model.length, base.length)
  t.true(model.includes(Buffer.from([1, 2, 3])))
})

test('an adapter of no strength leaves every byte of the weights', (t) => {
  t.deepEqual(tuned(base, adapter(parts, '0')), base)
})

test('rows of a table are looked up before they become numbers', (t) => {
  const node = (op, inputs, output) => {
    const parts = [...inputs.map((input) => [1, input]), [2, output], [3, 'its name'], [4, op]]
    return field(1, Buffer.concat(parts.map(([number, text]) => field(number, Buffer.from(text)))))
  }
  const before = [
    node('Cast', ['table'], 'numbers'),
    node('Mul', ['numbers', 'scales'], 'weight'),
    node('Gather', ['weight', 'ids'], 'found'),
    node('Tanh', ['found'], 'out'),
  ]
  const model = tuned(onnx([...before, tensor('table', Buffer.alloc(300))]), adapter({}))
  const said = model.toString('latin1').replaceAll(/[^a-zA-Z]+/g, ' ')
  t.regex(
    said,
    /table ids weight rows Gather.*scales ids weight scales Gather.*weight rows as numbers.*Cast.*found.*Mul.*Tanh/,
  )
  t.is(said.match(/Gather/g).length, 2)
  t.deepEqual(tuned(onnx(before.slice(1)), adapter({})), onnx(before.slice(1)))
})

test('the file that is given is not changed', (t) => {
  const before = Buffer.from(base)
  tuned(base, adapter(parts))
  t.deepEqual(base, before)
})

test('an adapter for another model is refused', (t) => {
  t.throws(() => tuned(onnx([tensor('v_q', q)]), adapter(parts)), { message: /no weight w/ })
  const wide = { 'w.A': { shape: [3, 1], values: [1, 1, 1] }, 'w.B': parts['w.B'] }
  t.throws(() => tuned(base, adapter(wide)), { message: /shapes differ/ })
})

test('what is no ONNX file is refused', (t) => {
  t.throws(() => tuned(Buffer.from([0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f, 1]), adapter(parts)), {
    message: /no ONNX file/,
  })
  t.throws(() => tuned(Buffer.alloc(40, 255), adapter(parts)), { message: /no ONNX file/ })
})

test('half-precision floats are read exactly', (t) => {
  const { tensors } = readAdapter(adapter({ x: { shape: [1, 5], values: [0, 1, -1, 2, 0.5] } }))
  t.deepEqual([...tensors.get('x').values], [0, 1, -1, 2, 0.5])
})
