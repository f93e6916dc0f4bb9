// Secrets by their own looks and by the names in front of them, in texts of which nothing else is known: what a program
// prints as it dies was never in its entry.

/** What stands in a secret's place. */
export const HIDDEN = '[hidden]'

/** Words in the name of an option, a variable, a header or a field whose value is for nobody. */
const NAMING = new Set(
  (
    'key apikey token secret password passwd passphrase pass pwd auth authorization credential credentials bearer cookie ' +
    'session sessionid signature sig pat jwt webhook'
  ).split(' '),
)
/** Those that have no other meaning in a sentence. */
const STRONG = new Set('password passwd passphrase pwd secret apikey credential credentials sig'.split(' '))

/** Tokens by their own looks. Bounded, since a server chooses the text. */
const LOOKS_SECRET = [
  /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi,
  /\b(sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abeprs]|xapp|AKIA|ASIA|AIza|eyJ)[-_]?[\w.-]{12,}/g,
  /\b(hf|npm|pypi|whsec|shp(at|ss)|dop_v1|lin_api|ntn|figd|dckr_pat|sntrys|nvapi|gsk|tvly|pplx|ya29|SG)[-_.][\w.-]{10,}/g,
  /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/@:]{1,200}:[^\s/@]{1,200}@/gi,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,8192}/g,
]
/** Addresses that let in whoever knows them: of hooks, and of bots. */
const HOOK =
  /(\bhttps?:\/\/[^\s/"']{0,80}hooks?\b[^\s/"']{0,80}\/|\bhttps?:\/\/[^\s/"']{1,160}\/(?:[^\s/"']{1,40}\/){0,4}(?:web)?hooks?\/|\bhttps?:\/\/[^\s/"']{1,160}\/bot)[^\s"'<>]{4,}/gi
/** Headers whose whole line is for nobody. */
const HEADER =
  /((?<![\w-])(?:proxy-)?(?:authorization|(?:set-)?cookie)["']?\s{0,3}:\s{0,3}["']?)(?!\[hidden)[^"'\s][^"'\n]{2,}/gi
/** A name before its value, as in `name=value`, `name: value` and `"name": "value"`, and the value. */
const NAME = /(?<![\w.-])(["']?)([A-Za-z][\w.-]{0,60})\1\s{0,3}([=:])/g
const VALUE = /(\s{0,3}(["']?))(?!\[hidden)([^\s"'&;,)}\]<>]{3,})/y
/** `--name value`. */
const OPTION = /((?<![\w-])--?([A-Za-z][\w-]{0,60})[ =]{1,3})(?!-|\[hidden)([^\s"']{4,})/g
/** What a text is divided by into words that may be random. */
const WORD = /[\w+.~-]{16,}/g

/** A text without what looks like a secret, or is called one. @param {string} text */
export function withoutSecretWords(text) {
  let hidden = text
  for (const pattern of LOOKS_SECRET) hidden = hidden.replaceAll(pattern, HIDDEN)
  hidden = hidden.replaceAll(HOOK, `$1${HIDDEN}`).replaceAll(HEADER, `$1${HIDDEN}`)
  return withoutValues(hidden)
    .replaceAll(OPTION, (whole, before, name) =>
      wordsOf(name).some((word) => NAMING.has(word)) ? before + HIDDEN : whole,
    )
    .replaceAll(WORD, (word) => (looksRandom(word) ? HIDDEN : word))
}

/** A value may begin with another name, as behind `Error:`; so each name is looked at. */
function withoutValues(text) {
  let kept = ''
  let from = 0
  for (const found of text.matchAll(NAME)) {
    const [whole, , name, sign] = found
    VALUE.lastIndex = found.index + whole.length
    if (found.index < from) continue
    const [, space = '', quote = '', value] = VALUE.exec(text) ?? []
    const at = found.index + whole.length + space.length
    const isOne = value !== undefined && isValue(wordsOf(name), sign, quote, value, text.slice(at + value.length))
    if (!isOne) continue
    kept += text.slice(from, at) + HIDDEN
    from = at + value.length
  }
  return kept + text.slice(from)
}

/** Whether what stands behind a name is its value: behind a colon it may be a sentence. */
function isValue(words, sign, quote, value, rest) {
  if (!words.some((word) => NAMING.has(word))) return false
  if (sign === '=' || quote !== '') return true
  if (value.length >= 16 || (/\d/.test(value) && value.length >= 6)) return true
  return words.some((word) => STRONG.has(word)) && /^["'\s]*$/.test(rest)
}

/** The words by which a name may say what it holds: its last, and all of it as one. An error of a key holds none. */
function wordsOf(name) {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s._-]+/)
  const last = words.findLast((word) => !/^(v?\d*|value|id|string|header|base64|file)$/.test(word))
  return [last ?? '', words.join('')]
}

/** Letters and digits in a mixture that nobody says aloud. A version, a date or a name with a number is none. */
export function looksRandom(text) {
  if (!/^[\w+.~-]{16,}$/.test(text) || !/\d/.test(text)) return false
  const changes = text.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])|[a-z](?=[A-Z])/g)?.length ?? 0
  return changes >= 4 && changes * 8 >= text.length
}
