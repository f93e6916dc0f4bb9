// What stands in a sandbox before the program does: `tools`, `print` and `parameters`. It runs inside, so a program that
// changes it hurts itself alone: everything that counts is counted outside, and only texts cross the border.

/**
 * Evaluates to a function of `send`, the one way out, of the program's parameters as JSON, and of what stands before a number that
 * JavaScript would change. A whole one is a BigInt in the program, any other an object that counts as it and is written as it was.
 */
export const INSIDE = `(function (send, given, mark) {
  'use strict'
  const { parse: read, stringify } = JSON
  const { BigInt: Whole, Number: Amount } = globalThis
  const { Promise: Later, Error: Failure, Proxy: Stand, String: text, Array: List } = globalThis
  const { apply } = Reflect
  const { create, freeze, assign, defineProperty, defineProperties } = Object
  const { join, map } = List.prototype
  const { includes, slice, startsWith } = String.prototype
  const MAX_OF_ERROR = 2000
  const NO_MEMORY = '{"name":"InternalError","message":"out of memory"}'
  const UNREADABLE = '{"message":"an error that cannot be read"}'

  const exact = (digits) => {
    try {
      return Whole(digits)
    } catch {
      const written = (value) => ({ value: () => value })
      return defineProperties(new Amount(digits), { toJSON: written(mark + digits), toString: written(digits) })
    }
  }
  defineProperty(Whole.prototype, 'toJSON', { value() { return mark + text(this) } })
  const isMarked = (value) => typeof value === 'string' && apply(startsWith, value, [mark])
  const revive = (_, value) => (isMarked(value) ? exact(apply(slice, value, [mark.length])) : value)
  const parse = (said) => (apply(includes, said, [mark]) ? read(said, revive) : read(said))

  let count = 0
  const waiting = create(null)
  const ask = (what, path, said) => {
    // Where in the program it was asked: its answer comes from nowhere.
    const { stack } = new Failure()
    return new Later((resolve, reject) => {
      count += 1
      waiting[count] = { resolve, reject, stack }
      send(what, count, path, said)
    })
  }

  const failed = ({ message, ...more }, stack) => assign(new Failure(message), { name: 'ToolError', stack }, more)
  const settle = (id, isAnswer, said) => {
    const { resolve, reject, stack } = waiting[id]
    delete waiting[id]
    if (isAnswer) resolve(parse(said))
    else reject(failed(parse(said), stack))
  }

  // Promises and JSON ask every object for these.
  const isAsked = (key) => typeof key !== 'string' || key === 'then' || key === 'toJSON'
  const ours = new WeakSet()
  const { add, has } = WeakSet.prototype
  const mine = (made) => (apply(add, ours, [made]), made)
  const toolOf = (server, tool) => mine(async (args) =>
    ask('call', stringify([server, tool]), args === undefined ? '{}' : (stringify(args) ?? 'null')))
  // A model may also know a tool by the one name that it is listed by.
  const ownName = ''
  const serverOf = (server, own) =>
    mine(new Stand(own, {
      get: (_, tool) => (isAsked(tool) ? undefined : toolOf(server, tool)),
      set: () => false,
      defineProperty: () => false,
      deleteProperty: () => false,
    }))
  const own = create(null)
  own.search = serverOf('search', async (need) => ask('search', '', stringify(need) ?? 'null'))
  own.describe = serverOf('describe', async (name) => ask('describe', '', stringify(name) ?? 'null'))
  own.find = serverOf('find', async (value, need) =>
    ask('find', typeof need === 'string' ? need : '', stringify(await value) ?? 'null'),
  )
  const tools = new Stand(own, {
    get: (_, server) => (isAsked(server) ? undefined : (own[server] ?? serverOf(server, toolOf(server, ownName)))),
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
  })

  const cut = (value) => apply(slice, text(value), [0, MAX_OF_ERROR])
  const told = (error) => {
    try {
      if (error === null || typeof error !== 'object') return stringify({ message: cut(error) })
      return stringify({ name: cut(error.name), message: cut(error.message), stack: cut(error.stack) })
    } catch (another) {
      // Made ahead: where memory is spent, the text would not fit either.
      return another === null ? NO_MEMORY : UNREADABLE
    }
  }
  const shown = (value) => {
    if (typeof value === 'string') return value
    try {
      if (value instanceof Failure) return cut(value)
      return stringify(value) ?? text(value)
    } catch {
      return '(a value that cannot be shown)'
    }
  }
  const print = (...values) => void send('print', 0, '', apply(join, apply(map, values, [shown]), [' ']))
  const console = freeze({ log: print, info: print, warn: print, error: print, debug: print })

  assign(globalThis, { tools, print, console, parameters: parse(given) })
  const start = async (main) => {
    try {
      const value = await main()
      // A program that is one function is that function's.
      const outcome = typeof value === 'function' && !apply(has, ours, [value]) ? await value() : value
      send('returned', 0, '', stringify(outcome) ?? '')
    } catch (error) {
      send('threw', 0, '', told(error))
    }
  }
  return { settle, start }
})`
