// A tree of the extension while a unit edits it. Nothing is written before `save`: an edit that does not find its place throws, and
// the tree stays as it was.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { IndentationText, Project, QuoteKind, SyntaxKind } from 'ts-morph'

/** What the tree formats. */
export const FORMATTED = /\.(ts|tsx|mjs|json|md)$/

const LOCALES = 'webview-ui/src/i18n/locales'

/** @param {string} root */
export function openTree(root) {
  const project = new Project({
    manipulationSettings: {
      indentationText: IndentationText.Tab,
      quoteKind: QuoteKind.Double,
      useTrailingCommas: true,
    },
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
  })
  const texts = new Map()
  const removed = []
  const at = (file) => path.join(root, file)
  const read = (file) => texts.get(file) ?? fs.readFileSync(at(file), 'utf8')

  const tree = {
    has: (file) => fs.existsSync(at(file)) && !removed.includes(file),
    /** @returns {import('ts-morph').SourceFile} */
    source: (file) => project.getSourceFile(at(file)) ?? project.addSourceFileAtPath(at(file)),
    /** A file that is not TypeScript: `change` gets its text and returns the new one. */
    text: (file, change) => void texts.set(file, change(read(file))),
    /** Translations of all languages of a namespace; `change` gets the object and the language. */
    locales(namespace, change) {
      for (const language of fs.readdirSync(at(LOCALES))) {
        const file = `${LOCALES}/${language}/${namespace}.json`
        tree.text(file, (text) => {
          const content = JSON.parse(text)
          change(content, language)
          return JSON.stringify(content, null, '\t') + (text.endsWith('\n') ? '\n' : '')
        })
      }
    },
    locale: (namespace, language) => JSON.parse(read(`${LOCALES}/${language}/${namespace}.json`)),
    remove(file) {
      if (!tree.has(file)) throw new Error(`${file}: expected in the tree, to be removed`)
      removed.push(file)
    },
    save(undo = []) {
      const done = { edited: [], removed, lines: 0, localeLines: 0 }
      const changed = new Map()
      for (const source of project.getSourceFiles())
        changed.set(path.relative(root, source.getFilePath()), source.getFullText())
      for (const [file, text] of texts) changed.set(file, text)
      const before = new Map()
      for (const [file, text] of changed) {
        const old = fs.readFileSync(at(file), 'utf8')
        if (old === text) continue
        before.set(file, old)
        undo.push([at(file), old])
        fs.writeFileSync(at(file), text)
      }
      done.edited = [...before.keys()]
      for (const file of removed) {
        undo.push([at(file), fs.readFileSync(at(file), 'utf8')])
        fs.rmSync(at(file))
      }
      format(root, done.edited)
      for (const [file, old] of before)
        done[file.startsWith(LOCALES) ? 'localeLines' : 'lines'] += addedLines(old, fs.readFileSync(at(file), 'utf8'))
      return done
    },
  }
  return tree
}

/** By the tree's own formatter, where it is installed. */
function format(root, edited) {
  const files = edited.filter((file) => FORMATTED.test(file))
  const prettier = path.join(root, 'node_modules/.bin/prettier')
  if (!fs.existsSync(prettier) || files.length === 0) return
  const { status, stderr } = spawnSync(prettier, ['--write', ...files], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`prettier: ${stderr}`)
}

/** How many lines of `after` are not in `before`, each counted as often as it is there more often. */
function addedLines(before, after) {
  const counts = new Map()
  for (const line of before.split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1)
  let added = 0
  for (const line of after.split('\n')) {
    const left = counts.get(line) ?? 0
    if (left > 0) counts.set(line, left - 1)
    else added++
  }
  return added
}

/** Says no where a place of the tree is not as often there as the unit knows it. */
export function expectCount(found, count, what) {
  if (found.length !== count) throw new Error(`${what}: expected ${count} in the tree, got ${found.length}`)
  return found
}

/** Puts lines before a node, as far in as it is. Nodes that were found before in its file are no longer valid. */
export function insertBefore(node, lines) {
  const indent = node.getIndentationText()
  const text = lines.map((line) => (line === '' ? '\n' : `${line}\n${indent}`)).join('')
  node.getSourceFile().insertText(node.getStart(), text)
}

/** The clauses of a case, by its text, in a part of a file. */
export const casesOf = (node, label) =>
  node.getDescendantsOfKind(SyntaxKind.CaseClause).filter((each) => each.getExpression().getText() === label)

/** The one declaration of a variable within a node, however deep. */
export function variableOf(node, name) {
  const all = node.getDescendantsOfKind(SyntaxKind.VariableDeclaration)
  return expectCount(
    all.filter((each) => each.getName() === name),
    1,
    name,
  )[0]
}

/** The calls of something within a node. */
export const callsOf = (node, callee) =>
  node.getDescendantsOfKind(SyntaxKind.CallExpression).filter((each) => each.getExpression().getText() === callee)

/** The function of a file that builds the tools of a request: by what it calls, since its name has changed before. */
export function builderOf(file) {
  const asks = (each) => callsOf(each, 'getMcpServerTools').length > 0
  return expectCount(file.getFunctions().filter(asks), 1, 'function that calls getMcpServerTools')[0]
}

/** One more name of what a function takes from the object that it is given. */
export function addToPattern(parameter, name) {
  const pattern = parameter.getNameNode()
  const text = pattern.getText().replace(/,?\s*\}$/, `, ${name} }`)
  pattern.getSourceFile().replaceText([pattern.getStart(), pattern.getEnd()], text)
}

export function addImport(file, text) {
  file.insertStatements(file.getImportDeclarations().at(-1).getChildIndex() + 1, text)
}

/** An element of the kit's own above the list of servers, where the warning of too many tools stands. */
export function addAboveServers(view, name, module) {
  const [warning] = expectCount(
    view
      .getDescendantsOfKind(SyntaxKind.JsxExpression)
      .filter((each) => /^\{(toolMode === "all" && )?isOverThreshold &&/.test(each.getText())),
    1,
    '{isOverThreshold && …}',
  )
  view.insertText(warning.getStart(), `<${name} />\n`)
  addImport(view, `import { ${name} } from "${module}"`)
}

/** The object that a method of the extension's provider returns at its end. */
export const stateOf = (file, method) =>
  file
    .getClassOrThrow('ClineProvider')
    .getMethodOrThrow(method)
    .getStatements()
    .findLast((each) => each.getKind() === SyntaxKind.ReturnStatement)
    .getFirstDescendantByKindOrThrow(SyntaxKind.ObjectLiteralExpression)
