// What a model can read: nothing but the requests themselves, as their provider shows them.
//
// A deferred tool is seen once an answer references it. A text is read line by line: interfaces, definitions, and what is said
// to be gone or back.

const OPENING = /^interface (\S+?)(?:<.*>)? \{/
const GONE = /^(?:No longer available|Not available now): (.*)\.$/
const BACK = /^Available again: (.*)\.$/
const SERVERS_GONE = /^MCP servers that you cannot use now, with all their tools: (.*)\.$/
const SERVERS_NEW = /^(?:Connected MCP servers|More MCP servers that you can use now): (.*)\.$/

/** A name as identifiers of interfaces have it. */
const letters = (text) => text.replace(/[^A-Za-z0-9_$]/g, '_').replace(/^(?=\d)/, '_')
const keyOf = (server, tool) => `${letters(server)}.${tool}`

/** Server and tool of a provider name. */
function partsOf(name) {
  const [, server, ...tool] = name.split('--')
  return [server ?? '', tool.join('--')]
}

/** The texts of a value, wherever they stand. */
function* textsOf(value) {
  if (typeof value === 'string') yield value
  else if (value && typeof value === 'object') for (const of of Object.values(value)) yield* textsOf(of)
}

/** All objects of a value, itself included. */
function* objectsOf(value) {
  if (!value || typeof value !== 'object') return
  yield value
  for (const of of Object.values(value)) yield* objectsOf(of)
}

const functionOf = (entry) => entry.function ?? entry.toolSpec ?? entry

/** The model's side of one conversation. */
export class ModelView {
  /** Tools that the newest list defines. */
  #listed = new Set()
  #listText = { lines: new Set() }
  /** Definitions that messages brought. */
  #told = new Set()
  #lines = new Set()
  #away = new Set()
  servers = new Set()

  /** Reads a request: what `render()` answers. */
  read({ tools, messages }) {
    this.#readList(JSON.parse(tools))
    this.hear(messages)
    return this
  }

  /** A list of `tools()` alone. */
  readList(tools) {
    this.#readList(JSON.parse(tools))
    return this
  }

  /** Reads messages: those of a request, or the answer to a call. */
  hear(messages) {
    for (const message of JSON.parse(messages)) {
      for (const block of objectsOf(message)) {
        if (block.type === 'tool_reference' && block.tool_name) this.#define(block.tool_name)
        if (block.type === 'tool_addition') this.#define(block.tool.name)
        if (block.type === 'tool_removal') this.#told.delete(block.tool.name)
        if (block.type === 'tool_removal') this.#away.add(block.tool.name)
        if (block.type === 'function' && typeof block.name === 'string') this.#define(block.name)
      }
      for (const text of textsOf(message)) this.#readText(text, this)
    }
    return this
  }

  /** The conversation was condensed: what messages said is gone. */
  forget() {
    for (const of of [this.#told, this.#lines, this.#away, this.servers]) of.clear()
  }

  /** `definition`, `line` or nothing. */
  sees(name) {
    const [server, tool] = partsOf(name)
    const key = keyOf(server, tool)
    if (this.#away.has(name)) return undefined
    if (this.#listed.has(name) || this.#told.has(name)) return 'definition'
    if (this.#away.has(key)) return undefined
    return this.#lines.has(key) || this.#listText.lines.has(key) ? 'line' : undefined
  }

  #define(name) {
    this.#told.add(name)
    this.#away.delete(name)
  }

  #readList(list) {
    const entries = list.flatMap((entry) => entry.functionDeclarations ?? [entry])
    this.#listed = new Set()
    const lines = new Set()
    for (const entry of entries) {
      const { name, description = '' } = functionOf(entry)
      if (!entry.defer_loading && name?.startsWith('mcp--')) this.#listed.add(name)
      if (!name?.startsWith('mcp--')) this.#readText(description, { into: lines })
    }
    this.#listText.lines = lines
  }

  #readText(text, { into }) {
    let server
    for (const line of text.split('\n')) {
      const opening = OPENING.exec(line)
      if (opening) server = opening[1]
      else if (line.startsWith('}')) server = undefined
      else if (server !== undefined) this.#readLine(server, line, into)
      else this.#readSentence(line, into)
    }
  }

  #readLine(server, line, into) {
    const [, quoted, plain] = /^(?:'((?:[^'\\]|\\.)*)'|([^\s:]+)): /.exec(line) ?? []
    const name = quoted?.replace(/\\(.)/g, '$1') ?? plain
    if (name === undefined) return
    const key = `${server}.${name}`
    ;(into ?? this.#lines).add(key)
    if (!into) this.#away.delete(key)
  }

  #readSentence(line, into) {
    const [, signed] = /^(mcp--[\w-]+): \{/.exec(line) ?? []
    if (signed) {
      const key = keyOf(...partsOf(signed))
      this.#lines.add(key)
      for (const name of [key, signed]) this.#away.delete(name)
    }
    if (line.startsWith('{"name":"mcp--')) this.#define(JSON.parse(line).name)
    if (into) return
    const listOf = (pattern) => pattern.exec(line)?.[1].split(', ') ?? []
    for (const name of listOf(GONE)) this.#withdraw(name)
    for (const name of listOf(BACK)) for (const of of [name, keyOf(...partsOf(name))]) this.#away.delete(of)
    for (const name of listOf(SERVERS_GONE)) this.#withdrawServer(name)
    for (const name of listOf(SERVERS_NEW)) this.servers.add(name)
  }

  /** What of its tools is there again with the server is said by name. */
  #withdrawServer(server) {
    this.servers.delete(server)
    const ofServer = (name) => letters(partsOf(name)[0]) === letters(server)
    for (const name of [...this.#listed, ...this.#told].filter(ofServer)) this.#withdraw(name)
    for (const key of this.#lines) if (key.startsWith(`${letters(server)}.`)) this.#away.add(key)
  }

  #withdraw(name) {
    if (name.startsWith('mcp--')) {
      this.#away.add(name)
    } else {
      const [server, ...tool] = name.split('.')
      this.#lines.delete(keyOf(server, tool.join('.')))
    }
  }
}
