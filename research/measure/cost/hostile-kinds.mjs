// Texts of 32 KiB that cost what they can: one of each kind that a request, a pasted page or an attack may be.

/** What the router reads of a request. */
export const SIZE = 32 * 1024

/** A text of as many whole repetitions as fit. */
const fill = (part) => part.repeat(Math.floor(SIZE / Buffer.byteLength(part)))

/** Words of letters in no order, the same on every run. */
function distinct(letters, length, separator = ' ') {
  const alphabet = [...letters]
  let state = 7
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return alphabet[state % alphabet.length]
  }
  let text = ''
  while (Buffer.byteLength(text) < SIZE - 1_000) {
    for (let at = 0; at < length; at += 1) text += next()
    text += separator
  }
  return text
}

const han = String.fromCharCode(...Array.from({ length: 500 }, (_, at) => 0x4e00 + at))

export const KINDS = {
  'nothing but spaces': fill(' '),
  'line ends': fill('\n'),
  'zero bytes': fill('\0'),
  'one letter': fill('a'),
  'one capital': fill('A'),
  'one letter that stems': fill('y'),
  'one letter after another': fill('a '),
  'one digit': fill('1'),
  'letters and digits': fill('1a'),
  'small and capital': fill('aB'),
  'capitals in pairs': fill('AB '),
  'short words of ten letters': distinct('abcdefghij', 3),
  'words of no language': distinct('abcdefghijklmnopqrstuvwxyz', 7),
  'words of 200 letters': fill(`${'abcdefghij'.repeat(20)} `),
  'endings in a row': fill('inging'),
  'near misses': fill('creaet isue reposotory dahsboard '),
  'anagrams of a word': distinct('ciraetsu', 6),
  'dots between letters': fill('a.b '),
  'dotted without end': fill('a.'),
  underscores: fill('_'),
  'letters and underscores': fill('a_'),
  'letters and hyphens': fill('a-'),
  apostrophes: fill("a'"),
  'hyphens and apostrophes': fill("'-"),
  'quoted letters': fill(" 'x"),
  'double quotes': fill('"a" '),
  backticks: fill('`'),
  'code in backticks': fill('`a` '),
  fences: fill('```\nx\n```\n'),
  parentheses: fill('('),
  slashes: fill('/'),
  commas: fill(','),
  'words and commas': fill('a, b, '),
  semicolons: fill('a;'),
  colons: fill(': '),
  'question marks': fill('? '),
  'the word and': fill('and '),
  joiners: fill('and then do that now and then '),
  'many requests': fill('find the failing build and tell the team in slack, then '),
  'the word without': fill('without '),
  'a negated product': fill('not github '),
  negations: fill("don't use jira "),
  'a name of a tool': fill('create_issue '),
  'a list of names': fill('create_issue,'),
  'names as prose': fill('list issues '),
  'provider names': fill('mcp--a--b '),
  'the word server': fill('a server '),
  English: fill('show me the open issues of the repository and close the old ones. '),
  German: fill('Lösche bitte die alten Dateien auf dem Server der Firma. '),
  Spanish: fill('borra los archivos antiguos del servidor de la empresa, por favor. '),
  Russian: fill('Создай новую ветку и удали старые файлы на сервере. '),
  'Cyrillic of no language': distinct('абвгдежзиклмнопрст', 6),
  Hebrew: fill('שלום עולם '),
  'Hebrew points': fill('א\u05b0\u05b1'),
  'Arabic marks': fill('ب\u064b\u064c'),
  Hindi: fill('नमस्ते '),
  Thai: fill('สวัสดี'),
  Tibetan: fill('\u0f77'),
  Korean: fill('한국어 '),
  'parts of Hangul': fill('\u1112\u1161\u11ab'),
  'Hangul that is normalised': fill('ㄱ'),
  Japanese: fill('カタカナ'),
  Chinese: fill('課題'),
  'Chinese of no meaning': distinct(han, 8, '。'),
  Glagolitic: fill('ⰀⰁ '),
  Vietnamese: fill('ệ '),
  'sharp s': fill('ß '),
  'dotted capital i': fill('İ'),
  ligatures: fill('ﬁﬂ '),
  'full width': fill('ＡＰＩ '),
  'mathematical letters': fill('𝕒𝕓 '),
  'squared words': fill('㌖ '),
  fractions: fill('½'),
  'a letter that becomes eighteen': fill('\ufdfa'),
  'words of it': fill('\ufdfa '),
  'a letter that becomes eight': fill('\ufdfb '),
  'combining marks': `a${fill('\u0301').slice(1)}`,
  'marks out of order': `a${fill('\u0327\u0301').slice(2)}`,
  'marks on each letter': fill('a\u0301\u0316\u0327 '),
  emoji: fill('😀'),
  flags: fill('🇩🇪'),
  tags: fill('\u{e0041}'),
  'zero width': fill('\u200b'),
  'joined letters': fill('a\u200db'),
  'turned direction': fill('\u202e'),
  paths: fill('src/a/b.rs '),
  addresses: fill('https://a.b/c?d=e '),
  JSON: fill('{"a":1},'),
  'a stack trace': fill('at foo (bar.js:1:2)\n'),
  'a log': fill('2026-01-01 ERROR x failed\n'),
  hashes: distinct('0123456789abcdef', 40),
  'base64 in lines': distinct('ABCDEFabcdef0123+/', 64, '\n'),
  'base64 without end': distinct('ABCDEFabcdefghij0123', 64, ''),
  'a table': fill('|a|b|\n'),
  bullets: fill('- a\n'),
  numbers: fill('1. do a thing\n'),
  links: fill('[a](b) '),
}
