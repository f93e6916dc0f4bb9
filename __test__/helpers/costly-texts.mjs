// Texts of 32 KiB that cost what they can: of each kind that a request, a pasted page or an attack may be.

/** What the router reads of a request. */
export const SIZE = 32 * 1024

/** Words of letters in no order, the same on every run. */
function distinct(letters, length, separator = ' ') {
  const alphabet = [...letters]
  let state = 7
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return alphabet[state % alphabet.length]
  }
  let text = ''
  while (Buffer.byteLength(text) < SIZE - 1_000) text += Array.from({ length }, next).join('') + separator
  return text
}

/** What is repeated: letters and signs, words, scripts, marks and what is not seen, and code. */
const REPEATED = [
  ...[' ', '\n', '\0', '_', "'-", '`', '(', '/', '? ', ': '],
  ...'a A y 1 1a aB a. a_ a- a; inging ½ 한국어 สวัสดี カタカナ 課題'.split(' '),
  ...['a ', 'a, b, ', 'and ', 'without ', 'a server ', 'not github ', 'create_issue,', 'list issues ', 'mcp--a--b '],
  ...[`${'abcdefghij'.repeat(20)} `, 'creaet isue reposotory dahsboard ', 'and then do that now and then '],
  'find the failing build and tell the team in slack, then ',
  ...['Создай новую ветку и удали старые файлы на сервере. ', 'Lösche bitte die alten Dateien auf dem Server. '],
  ...['שלום עולם ', 'א\u05b0\u05b1', 'ب\u064b\u064c', 'नमस्ते ', '\u0f77', '\u1112\u1161\u11ab', 'ㄱ', 'ệ ', 'ß ', 'İ'],
  ...['ﬁﬂ ', 'ＡＰＩ ', '𝕒𝕓 ', '㌖ ', '\ufdfa', '\ufdfb ', 'a\u0301\u0316\u0327 ', '\u0327\u0301'],
  ...['😀', '🇩🇪', '\u{e0041}', '\u200b', 'a\u200db', '\u202e'],
  ...['```\nx\n```\n', 'src/a/b.rs ', 'https://a.b/c?d=e ', '{"a":1},', 'at foo (bar.js:1:2)\n', '|a|b|\n', '[a](b) '],
]

export const TEXTS = [
  ...REPEATED.map((part) => part.repeat(Math.floor(SIZE / Buffer.byteLength(part)))),
  distinct('abcdefghij', 3),
  distinct('ciraetsu', 6),
  distinct('абвгдежзиклмнопрст', 6),
  distinct(String.fromCharCode(...Array.from({ length: 500 }, (_, at) => 0x4e00 + at)), 8, '。'),
  distinct('0123456789abcdef', 40),
  distinct('ABCDEFabcdefghij0123', 64, ''),
]
