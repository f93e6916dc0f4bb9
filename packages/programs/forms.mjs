// Programs as models write them: in a fence, as one function, with their result as the last expression. Each becomes the body
// of a function; the sandbox takes the first that it can read. Nothing is run in another order than it was written.

/** Places behind which a last expression is looked for: it is short. */
const MAX_PLACES = 40
/** A block of Markdown, with words before it. */
const FENCED = /^(?:[^`]*\n)?\s*(```+|~~~+)[^\n]*\n([\s\S]*?)\n?[ \t]*\1\s*$/
/** What a module gives to others. */
const EXPORT_OF_NOTHING = /^([ \t]*)export\s+default\s+(?=(?:async\s*)?(?:function\s*\*?\s*\(|\(|[\w$]+\s*=>))/m
const EXPORT = /^([ \t]*)export\s+(?:default\s+)?(?=async\b|function\b|const\b|let\b|class\b)/gm
/** A function that is meant to be the program. */
const MAIN =
  /(?:^|\n)[ \t]*(?:(?:async\s+)?function\s+(main|run)\b|(?:const|let|var)\s+(main|run)\s*=\s*(?:async\b|function\b|\())/
/** With these at its beginning a line goes on with the previous one, as JavaScript has it. */
const GOES_ON = /^\s*([([`+\-*/%.,?:=<>&|^!~;)\]}]|instanceof\b|in\b)/
/** With these at its end, the next one does. */
const IS_OPEN = /([([{,+\-*/%.?:=<>&|^!~]|\b(await|return|typeof|new|of|in|=>))\s*$/

/** What stands in a program of TypeScript and in none of JavaScript. */
const TYPES =
  /[\w)\]]\s*\??:\s*(any|string|number|boolean|unknown|void|never|object|[A-Z]\w*(<|\[\])?|\w+\[\])\s*[,;)=\n]|\bas\s+(any|const|unknown|string|number|[A-Z]\w*)|^\s*(export\s+)?(interface|type|enum|declare|namespace)\s+\w+/m

/** @param {string} code @returns {Generator<string>} bodies of functions; the last is the program as it was written */
export function* formsOf(code) {
  const [, , inside = code] = FENCED.exec(code) ?? []
  const bare = inside.replace(EXPORT_OF_NOTHING, '$1const main = ').replaceAll(EXPORT, '$1')
  // One expression: a function, a call of one, or what is asked for.
  const whole = inside.replace(/^\s*export\s+default\s+/, '').replace(/[;\s]+$/, '')
  if (whole.trim() !== '') yield `return (${whole}\n)`
  yield* withLast(bare)
  const [, one, other] = MAIN.exec(bare) ?? []
  const name = one ?? other
  if (name !== undefined && bare.match(new RegExp(`\\b${name}\\b`, 'g'))?.length === 1)
    yield `${bare}\nreturn ${name}()`
  if (bare !== code) yield bare
  yield code
}

/** The program with its last expression returned, for each place where that may begin, the last first. */
function* withLast(code) {
  const text = code.replace(/[;\s]+$/, '')
  let places = 0
  for (let at = text.length - 1; at > 0 && places < MAX_PLACES; at--) {
    const isEnd = text[at] === ';' || text[at] === '\n'
    if (!isEnd) continue
    const [before, last] = [text.slice(0, at + 1), text.slice(at + 1)]
    if (last.trim() === '' || /^\s*\/\//.test(last)) continue
    // Without a semicolon the two lines may be one statement.
    if (text[at] === '\n' && (GOES_ON.test(last) || IS_OPEN.test(before.replace(/\/\/[^\n]*\s*$/, '')))) continue
    places += 1
    yield `${before}return (${last}\n)`
  }
}

/** What to do about a program that cannot be read; an empty text where nothing is known. */
export function hintFor(code) {
  if (/^\s*import\s/m.test(code)) return 'nothing can be imported; tools are in tools.server.tool'
  if (TYPES.test(code)) return 'write plain JavaScript, without types'
  return ''
}
