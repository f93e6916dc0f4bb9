// Command lines of scripts and benchmarks: read and checked in one way.

import process from 'node:process'
import { parseArgs } from 'node:util'

/**
 * @typedef {object} Option
 * @property {'string' | 'boolean' | 'number' | 'integer'} type
 * @property {string} [short]
 * @property {string | boolean | number} [default]
 * @property {boolean} [required]
 * @property {number} [least] of a number
 * @property {string[]} [choices] of a string
 * @property {boolean} [multiple] of a string: it may be given more than once, and is a list
 */

/**
 * Reads the arguments of this process. `--help` prints the usage; wrong arguments print what is wrong with them and the
 * usage to standard error, and set the exit code to 2.
 *
 * @param {string} usage ends with a new line
 * @param {Record<string, Option>} options
 * @param {{ least?: number, most?: number }} [positionals] how many arguments without a name there may be
 * @returns {{ values: Record<string, any>, positionals: string[] } | undefined} nothing when there is nothing more to do
 */
export function readArguments(usage, options, { least = 0, most = 0 } = {}) {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: most > 0,
      options: {
        help: { type: 'boolean', short: 'h' },
        ...Object.fromEntries(Object.entries(options).map(([name, option]) => [name, parsed(option)])),
      },
    })
    if (values.help) {
      process.stdout.write(usage)
      return undefined
    }
    for (const [name, option] of Object.entries(options)) {
      const value = read(values[name] ?? option.default, name, option)
      if (value !== undefined) values[name] = value
    }
    if (positionals.length < least || positionals.length > most) {
      const expected = least === most ? least : `${least} to ${most}`
      throw new Error(`expected ${expected} argument${most === 1 ? '' : 's'}, got ${positionals.length}`)
    }
    return { values, positionals }
  } catch (error) {
    process.stderr.write(`${error.message}\n${usage}`)
    process.exitCode = 2
    return undefined
  }
}

/** What `parseArgs` takes of an option: it knows neither numbers nor what is required. */
function parsed({ type, short, multiple }) {
  return { type: type === 'boolean' ? type : 'string', ...(short && { short }), ...(multiple && { multiple }) }
}

function read(value, name, { type, required, least = -Infinity, choices, multiple }) {
  if (required && (value === undefined || value === '')) throw new Error(`--${name} is missing`)
  if (value === undefined || multiple) return value
  if (choices && !choices.includes(value))
    throw new Error(`--${name}: expected one of ${choices.join(', ')}, got ${value}`)
  if (type !== 'number' && type !== 'integer') return value
  const number = String(value).trim() === '' ? NaN : Number(value)
  const right = type === 'integer' ? Number.isInteger(number) : Number.isFinite(number)
  if (!right || number < least) {
    const from = least === -Infinity ? '' : ` from ${least}`
    throw new Error(`--${name}: expected ${type === 'integer' ? 'an integer' : 'a number'}${from}, got ${value}`)
  }
  return number
}
