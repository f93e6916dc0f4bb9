// The form of a tool: a field for each argument that its schema describes, and what was written there as arguments.

/**
 * @typedef {object} Field
 * @property {string} name empty for all arguments in one text
 * @property {'text' | 'number' | 'choice' | 'json'} kind
 * @property {boolean} required
 * @property {string} [hint]
 * @property {string[]} [choices]
 * @property {boolean} [isBoolean]
 */

/** @type {Field} */
const WHOLE = { name: '', kind: 'json', required: true, hint: 'All arguments, as JSON' }

/** @param {string} schema as the page has it: it may be cut @returns {Field[]} */
export function fieldsOf(schema) {
  try {
    const { properties = {}, required = [] } = JSON.parse(schema)
    return Object.entries(properties).map(([name, its]) => fieldOf(name, its, required.includes(name)))
  } catch {
    return [WHOLE]
  }
}

/** @returns {Field} */
function fieldOf(name, its, required) {
  const { type, enum: choices, description } = its !== null && typeof its === 'object' ? its : {}
  const field = { name, required, ...(typeof description === 'string' && { hint: description }) }
  if (Array.isArray(choices) && choices.every((choice) => typeof choice === 'string'))
    return { ...field, kind: 'choice', choices }
  if (type === 'boolean') return { ...field, kind: 'choice', choices: ['true', 'false'], isBoolean: true }
  if (type === 'number' || type === 'integer') return { ...field, kind: 'number' }
  return { ...field, kind: type === 'string' ? 'text' : 'json' }
}

/**
 * @param {Field[]} fields
 * @param {(name: string) => string} written what stands in a field
 * @returns {Record<string, unknown>} what is left empty is not given
 * @throws {Error} that names the field
 */
export function argumentsOf(fields, written) {
  /** @type {Record<string, unknown>} */
  const args = Object.create(null)
  for (const { name, kind, required, isBoolean } of fields) {
    const text = written(name)
    if (text === '' && !(required && kind === 'text')) continue
    const value = kind === 'number' || kind === 'json' || isBoolean ? parsed(text, name) : text
    if (name === '') return value
    args[name] = value
  }
  return { ...args }
}

function parsed(text, name) {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${name || 'Arguments'}: expected JSON, got ${text.slice(0, 40)}`)
  }
}
