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
  const around = nodeAt(whole, at.slice(0, -1))
  // What stands on one line stays there: to format it would write all of that line again.
  const isOneLine = around?.children?.length && !textOf(whole, around).includes('\n')
  const edits = jsonc.modify(whole, at, value, isOneLine ? {} : { formattingOptions })
  return jsonc.applyEdits(
    whole,
    edits.map((edit) => ({ ...edit, content: edit.content.replace(/^,(?=\S)/, ', ') })),
  )
}

/**
 * The same for a list of texts: those that stay, stay where they are with what is written beside them.
 *
 * @param {string} text
 * @param {string[]} at
 * @param {string[] | undefined} wanted
 */
export function jsonWithList(text, at, wanted) {
  const nodes = nodeAt(text, at)?.children ?? []
  const kept = nodes.filter(({ value }) => wanted?.includes(value))
  const added = wanted?.slice(kept.length) ?? []
  if (kept.length === 0 || kept.some(({ value }, place) => value !== wanted?.[place])) return jsonWith(text, at, wanted)
  const edits = []
  for (const [place, { offset, length }] of nodes.entries()) {
    if (kept.includes(nodes[place])) continue
    const space = /[ \t]*$/.exec(text.slice(0, offset))?.[0].length ?? 0
    edits.push({ offset: offset - space, length: length + space, content: '' })
    // Its comma goes with it; with the last one, the comma of the previous.
    const isBehind = nodes.slice(place + 1).some((node) => kept.includes(node))
    const comma = isBehind
      ? commaBehind(text, nodes[place])
      : place > 0
        ? commaBehind(text, nodes[place - 1])
        : undefined
    if (comma !== undefined) edits.push({ offset: comma, length: 1, content: '' })
  }
  const last = kept[kept.length - 1]
  const [space] = /\n[ \t]*$/.exec(text.slice(0, last.offset)) ?? [' ']
  const content = added.map((each) => `,${space}${JSON.stringify(each)}`).join('')
  return jsonc.applyEdits(text, [...edits, { offset: last.offset + last.length, length: 0, content }])
}

/** Where the comma behind an element is. */
function commaBehind(text, { offset, length }) {
  const scanner = jsonc.createScanner(text, true)
  scanner.setPosition(offset + length)
  return scanner.scan() === COMMA ? scanner.getTokenOffset() : undefined
}

/** `SyntaxKind.CommaToken`, which is a type alone. */
const COMMA = 5

const nodeAt = (text, at) => {
  const tree = jsonc.parseTree(text, [], { allowTrailingComma: true })
  return tree && jsonc.findNodeAtLocation(tree, at)
}
const textOf = (text, { offset, length }) => text.slice(offset, offset + length)
