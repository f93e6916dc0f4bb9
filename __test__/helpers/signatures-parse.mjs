// Signatures read back with the compiler of TypeScript, and what a schema says without a router.

import { Project, ts } from 'ts-morph'

const project = new Project({
  useInMemoryFileSystem: true,
  compilerOptions: { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, types: [] },
})

/** What stands where something is left out. */
const LEFT_OUT = '…'

/** Members of a type: names with whether they may be missing, and the type as it is written. */
function membersOf(node, shared) {
  if (!node) return []
  if (node.isKind(ts.SyntaxKind.IntersectionType)) return node.getTypeNodes().flatMap((part) => membersOf(part, shared))
  if (node.isKind(ts.SyntaxKind.TypeReference)) return shared
  return node.getProperties().map((property) => ({
    name: property.getSymbolOrThrow().getName(),
    optional: property.hasQuestionToken(),
    type: property.getTypeNodeOrThrow(),
  }))
}

/** Strings, numbers and the like of a type, as their values; not those inside of objects. */
export function literalsOf(node) {
  if (node.isKind(ts.SyntaxKind.UnionType)) return node.getTypeNodes().flatMap(literalsOf)
  if (node.isKind(ts.SyntaxKind.ArrayType)) return literalsOf(node.getElementTypeNode())
  if (node.isKind(ts.SyntaxKind.ParenthesizedType)) return literalsOf(node.getTypeNode())
  if (!node.isKind(ts.SyntaxKind.LiteralType)) return []
  const literal = node.getLiteral()
  return [literal.isKind(ts.SyntaxKind.StringLiteral) ? literal.getLiteralValue() : JSON.parse(literal.getText())]
}

/**
 * @param {string} text interfaces of servers
 * @returns {{ errors: string[], interfaces: { name: string, tools: { name: string, isCut: boolean, parameters: object[] }[] }[] }}
 *   `errors` are those of the compiler, `isCut` says that a parameter may be left out
 */
export function parse(text) {
  // As a module: no name of the library is in the way.
  const file = project.createSourceFile('signatures.ts', `${text}\nexport {}\n`, { overwrite: true })
  const errors = file.getPreEmitDiagnostics().map((problem) => {
    const message = problem.getMessageText()
    return typeof message === 'string' ? message : message.getMessageText()
  })
  const others = file.getStatements().filter((node) => !node.isKind(ts.SyntaxKind.InterfaceDeclaration))
  if (others.length > 1) errors.push(`${others.length - 1} statements that are not an interface`)
  const interfaces = file.getInterfaces().map((own) => {
    const shared = membersOf(own.getTypeParameters()[0]?.getDefault())
    const tools = own.getProperties().map((property) => {
      const type = property.getTypeNodeOrThrow()
      return {
        name: property.getSymbolOrThrow().getName(),
        isCut: new RegExp(`/\\*${LEFT_OUT}\\*/}$`).test(type.getText()),
        parameters: membersOf(type, shared),
      }
    })
    return { name: own.getName(), tools }
  })
  return { errors, interfaces }
}

/** What a reference of a schema leads to. */
function resolved(root, reference) {
  const steps = reference.split('/').slice(1)
  return steps.reduce((at, step) => at?.[step.replaceAll('~1', '/').replaceAll('~0', '~')], root)
}

/** Properties and required names of a schema; `sure` is false where conditions say more. */
export function saidBy(schema, root = schema, depth = 0) {
  const said = { properties: new Map(), required: new Set(), sure: true }
  if (depth > 6 || typeof schema !== 'object' || schema === null) return said
  const parts = [...(Array.isArray(schema.allOf) ? schema.allOf : [])]
  if (typeof schema.$ref === 'string') parts.push(resolved(root, schema.$ref))
  for (const part of parts) {
    const own = saidBy(part, root, depth + 1)
    for (const [name, property] of own.properties) said.properties.set(name, property)
    for (const name of own.required) said.required.add(name)
    said.sure &&= own.sure
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) said.properties.set(name, property)
  for (const name of Array.isArray(schema.required) ? schema.required : [])
    if (typeof name === 'string') said.required.add(name)
  said.sure &&= !schema.anyOf && !schema.oneOf
  return said
}
