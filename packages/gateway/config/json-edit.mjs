// One value of a text of JSON is another one; comments, indents and all else stay.

import jsonc from 'jsonc-parser'

/** @param {string} text @param {string[]} at keys, the outer one first @param {unknown} value undefined takes it out */
export function jsonWith(text, at, value) {
  const [, indent] = /\n([ \t]+)\S/.exec(text) ?? []
  const formattingOptions = {
    insertSpaces: !indent?.includes('\t'),
    tabSize: indent === undefined || indent.includes('\t') ? 2 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  }
  const whole = text.trim() === '' ? `{}${formattingOptions.eol}` : text
  return jsonc.applyEdits(whole, jsonc.modify(whole, at, value, { formattingOptions }))
}
