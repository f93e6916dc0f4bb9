// What index.d.ts says to the person who reads it.
import { createRequire } from 'node:module'
import test from 'ava'
import { read } from '../helpers/pages.mjs'
import { Session, ToolRouter, router } from '../helpers/router.mjs'

const TEXT = read('index.d.ts')
const CODE = TEXT.replace(/\/\*\*[\s\S]*?\*\//g, '')

/** Classes with their members: name, and the comment that stands before it. */
const CLASSES = [...TEXT.matchAll(/export declare class (\w+) \{\n([\s\S]*?)\n\}/g)].map(([, name, body]) => ({
  name,
  members: [
    ...body.matchAll(/(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*)?^ {2}(?:static )?(get )?(?:private )?(\w+)\(([^\n]*)$/gm),
  ]
    .map(([, comment = '', getter, member, rest]) => ({ comment, getter: Boolean(getter), member, rest }))
    .filter(({ member }) => member !== 'constructor'),
}))

test('index.d.ts begins with a map of fifteen lines and the two classes', (t) => {
  const [map] = /^(\/\/.*\n)+/.exec(TEXT)
  t.is(map.trimEnd().split('\n').length, 15)
  const declared = [...TEXT.matchAll(/^export (?:declare )?\w+ (\w+)/gm)].map(([, name]) => name)
  t.deepEqual(declared.slice(0, 2), ['ToolRouter', 'Session'])
  const members = new Set(CLASSES.flatMap(({ members }) => members.map(({ member }) => member)))
  for (const [, method] of map.matchAll(/\.(\w+)\(/g))
    t.true(members.has(method) || method === 'stringify', `the map names ${method}`)
  for (const [type] of map.matchAll(/\b(Mcp|Tool|Provider)\w+s?\b/g))
    t.true(declared.includes(type) || declared.includes(type.replace(/s$/, '')), `the map names ${type}`)
})

test('nothing is answered as unknown or any', (t) => {
  for (const { name, members } of CLASSES)
    for (const { member, rest } of members)
      t.notRegex(rest.slice(rest.lastIndexOf(')')), /\b(unknown|any)\b/, `${name}.${member}`)
  t.notRegex(CODE, /\bany\b/)
  t.notRegex(CODE, /Promise<unknown>/)
})

test('links lead to what exists', (t) => {
  const declared = new Set(
    [...TEXT.matchAll(/export (?:declare )?(?:class|interface|type) (\w+)/g)].map(([, name]) => name),
  )
  for (const [, target] of TEXT.matchAll(/\{@link ([^}\s|]+)[^}]*\}/g)) {
    const [name, member] = target.split('.')
    t.true(declared.has(name), target)
    const found = CLASSES.find((entry) => entry.name === name)
    if (member && found)
      t.true(
        found.members.some((entry) => entry.member === member),
        target,
      )
  }
})

test('every public type, field and method is documented', (t) => {
  const lines = TEXT.split('\n')
  lines.forEach((line, at) => {
    const isDeclaration = /^export (declare )?(class|interface|type) /.test(line)
    const isField = /^ {2}(?!\[|\||\/|\*|private )(static )?(get )?\w+\??[(:]/.test(line)
    if (!isDeclaration && !isField) return
    const before = lines[at - 1]?.trim() ?? ''
    // Members of ToolRouterError are those of every Error; a field of a tool may speak for itself.
    const speaksForItself =
      /^ {2}(name|code|title|description|serverName|toolName|version|sessionId|allowedMcpServers|blockedMcpServers)\??: /.test(
        line,
      )
    t.true(before.endsWith('*/') || speaksForItself, `line ${at + 1}: ${line}`)
  })
})

test('every method says what it takes, what it gives and what it throws', (t) => {
  t.deepEqual(CLASSES.map(({ name }) => name).sort(), ['Session', 'ToolRouter'])
  for (const { name, members } of CLASSES) {
    for (const { comment, getter, member, rest } of members) {
      t.true(comment.length > 20, `${name}.${member}`)
      if (getter) continue
      const parameters = [...rest.slice(0, rest.lastIndexOf(')')).matchAll(/(?:^|, )(\w+)\??: /g)].map(
        ([, parameter]) => parameter,
      )
      for (const parameter of parameters) {
        const isFunctionType = member === 'onTelemetry' && parameter === 'event'
        if (!isFunctionType)
          t.regex(comment, new RegExp(`@param ${parameter} - \\S`), `${name}.${member}(${parameter})`)
      }
      for (const [, said] of comment.matchAll(/@param (\w+)/g))
        t.true(parameters.includes(said), `${name}.${member} has no ${said}`)
      if (/Promise</.test(rest)) t.regex(comment, /@throws \{ToolRouterError\}/, `${name}.${member}`)
    }
  }
})

/** Members that internal.d.ts declares of an interface, and of what stands for its constructor. */
const internal = (name) => {
  const text = read('internal.d.ts').replace(/\/\*\*[\s\S]*?\*\//g, '')
  const bodies = [
    ...text.matchAll(new RegExp(`^export (?:interface|declare const) ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`, 'gm')),
  ]
  return bodies.flatMap(([, body]) => [...body.matchAll(/^ {2}(\w+)\(/gm)].map(([, member]) => member))
}

test('the declared members are those that exist, and a host sees fifty', (t) => {
  t.true(CLASSES.flatMap(({ members }) => members).length <= 50)
  const actual = (type) =>
    [...Object.getOwnPropertyNames(type.prototype), ...Object.getOwnPropertyNames(type)]
      .filter(
        (name) =>
          !name.startsWith('__') &&
          !['constructor', 'length', 'name', 'prototype', 'arguments', 'caller'].includes(name),
      )
      .sort()
  for (const [type, name] of [
    [ToolRouter, 'ToolRouter'],
    [Session, 'Session'],
  ])
    t.deepEqual(
      [
        ...new Set([
          ...CLASSES.find((entry) => entry.name === name).members.map(({ member }) => member),
          ...internal(name),
        ]),
      ].sort(),
      actual(type),
    )
})

test('the loader exports exactly the two classes, and why they would not be there', (t) => {
  const exported = createRequire(import.meta.url)('../../index.js')
  t.deepEqual(Object.keys(exported).sort(), ['Session', 'ToolRouter', 'loadError'])
  t.is(exported.loadError, undefined)
})

test('answers have exactly the fields that are declared', async (t) => {
  const fieldsOf = (name) => {
    const [, body] = new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(TEXT)
    return [...body.matchAll(/^ {2}(\w+)(\?)?: /gm)].map(([, field, optional]) => ({
      field,
      optional: Boolean(optional),
    }))
  }
  const check = (name, value) => {
    const declared = fieldsOf(name)
    const given = Object.keys(value).filter((key) => value[key] !== undefined)
    for (const key of given)
      t.true(
        declared.some(({ field }) => field === key),
        `${name}.${key} is not declared`,
      )
    for (const { field, optional } of declared) t.true(optional || given.includes(field), `${name}.${field} is missing`)
  }
  const change = await router.setServers(
    [
      {
        name: 's',
        tools: Array.from({ length: 60 }, (_, at) => ({
          name: `t${at}`,
          description: 'Some words: merges a pull request',
        })).concat([{ name: '' }]),
      },
    ],
    { replace: true },
  )
  check('CatalogueChange', change)
  check('ToolRef', change.added[0])
  check('RefusedTool', change.refused[0])
  const ranking = await router.rank('t1 words')
  check('Ranking', ranking)
  check('RankedTool', ranking.tools[0])
  check('Degraded', ranking.degraded)
  const explanation = await router.explain('words', 'mcp--s--t1')
  check('Explanation', explanation)
  check('TermScore', explanation.terms[0])
  check('Status', router.status)
  check('EmbedderInfo', await router.setEmbedder((texts) => texts.map(() => [1])))
  await router.setEmbedder(null)
  check('Settings', router.settings)
  const session = router.openSession({ settings: { maxTools: 4, initialK: 30 } })
  const selection = await session.start('merge the pull request '.repeat(2_000))
  check('Selection', selection)
  check('QueryCut', selection.queryCut)
  check('NotAttached', selection.notAttached[0])
  check('TokenReceipt', selection.tokens)
  check('ServerTokens', selection.tokens.servers[0])
  const roomy = router.openSession({ settings: { initialK: 1 } })
  await roomy.start('x')
  const result = await roomy.load({ query: 't7, t_99_x' })
  check('LoadResult', result)
  check('LoadedTool', result.loaded[0])
  check('UnavailableTool', result.unavailable[0])
  const usage = await router.contextUsage({ a: 'b' })
  check('ContextUsage', usage)
  check('SectionTokens', usage.sections[0])
})
