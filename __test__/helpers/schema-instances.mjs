// Instances for a schema: most of them fit it, some are spoilt in one place, so that acceptance is tried from both sides.

/** Deeper than this an instance ends: schemas refer to themselves. */
const MAX_DEPTH = 6
/** How often a value is spoilt, and how often an optional property is there. */
const SPOILT = 0.06
const PRESENT = 0.6

/** A small generator of random numbers: the same seed gives the same instances. */
export function randomOf(seed) {
  let state = (seed ^ 0x9e3779b9) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const ANY = [null, true, false, 0, -1, 3, 1.5, '', 'a', 'text', [], ['a'], {}, { a: 1 }]

/** @returns {Generator<unknown>} so many instances, the first ones unspoilt */
export function* instancesOf(schema, seed, count) {
  const random = randomOf(seed)
  const pick = (list) => list[Math.floor(random() * list.length)]
  const resolve = (reference) => {
    if (reference === '#') return schema
    const path = reference.startsWith('#/') ? reference.slice(2).split('/') : undefined
    return (
      path?.reduce((at, part) => at?.[decodeURIComponent(part.replaceAll('~1', '/').replaceAll('~0', '~'))], schema) ??
      {}
    )
  }
  function make(of, depth, spoil) {
    if (spoil && random() < SPOILT) return pick(ANY)
    if (of === true || of === undefined) return pick(ANY)
    if (of === false || typeof of !== 'object' || of === null) return pick(ANY)
    if (depth > MAX_DEPTH) return of.type === 'object' || of.properties ? {} : pick(ANY)
    if (typeof of.$ref === 'string') return make({ ...resolve(of.$ref), ...without(of, '$ref') }, depth + 1, spoil)
    if ('const' in of) return of.const
    if (Array.isArray(of.enum) && of.enum.length > 0) return pick(of.enum)
    for (const key of ['anyOf', 'oneOf']) {
      if (Array.isArray(of[key]) && of[key].length > 0)
        return make(joined(without(of, key), pick(of[key])), depth + 1, spoil)
    }
    if (Array.isArray(of.allOf)) return make(of.allOf.reduce(joined, without(of, 'allOf')), depth + 1, spoil)
    const type = Array.isArray(of.type) ? pick(of.type) : of.type
    const kind = type ?? (of.properties ? 'object' : of.items ? 'array' : undefined)
    if (kind === 'object') return makeObject(of, depth, spoil)
    if (kind === 'array') {
      const length = Math.min(Math.max(of.minItems ?? 0, Math.floor(random() * 3)), of.maxItems ?? 5)
      const items = Array.isArray(of.items) ? of.items : of.prefixItems
      return Array.from({ length }, (_, at) =>
        make(items?.[at] ?? (Array.isArray(of.items) ? true : of.items), depth + 1, spoil),
      )
    }
    if (kind === 'string') {
      const text = pick(['', 'a', 'text', '2026-01-01', 'https://example.com', 'country-3', 'a longer text'])
      return text.padEnd(of.minLength ?? 0, 'x').slice(0, of.maxLength ?? 200)
    }
    if (kind === 'integer' || kind === 'number') {
      const low = Math.max(of.minimum ?? -1e3, (of.exclusiveMinimum ?? -1e3) + 1)
      const high = Math.max(low, Math.min(of.maximum ?? 1e3, (of.exclusiveMaximum ?? 1e3 + 1) - 1))
      const number = low + random() * (high - low)
      const step = of.multipleOf ?? 1
      return Math.max(low, Math.round(number / step) * step)
    }
    if (kind === 'boolean') return random() < 0.5
    if (kind === 'null') return null
    return pick(ANY)
  }
  function makeObject(of, depth, spoil) {
    const made = {}
    const required = Array.isArray(of.required) ? of.required : []
    for (const [name, property] of Object.entries(of.properties ?? {})) {
      const is = required.includes(name) ? !spoil || random() > SPOILT / 3 : random() < PRESENT / (1 + depth / 3)
      if (is) made[name] = make(property, depth + 1, spoil)
    }
    for (const name of required)
      if (!(name in made) && !spoil) made[name] = make(of.additionalProperties, depth + 1, spoil)
    if (spoil && random() < 0.15) made.unexpected = pick(ANY)
    if (of.additionalProperties && typeof of.additionalProperties === 'object' && random() < 0.3)
      made.more = make(of.additionalProperties, depth + 1, spoil)
    return made
  }
  for (let at = 0; at < count; at++) yield make(schema, 0, at >= count / 3)
}

function without(object, key) {
  const { [key]: _, ...rest } = object
  return rest
}

function joined(one, other) {
  if (typeof other !== 'object' || other === null) return one
  return {
    ...one,
    ...other,
    ...(one.properties && other.properties && { properties: { ...one.properties, ...other.properties } }),
  }
}
