// Programs in the forms in which models write them: each is run once, as it was meant, or says what is wrong.
import test from 'ava'

import { closePrograms, runProgram } from '../../packages/programs/index.mjs'
import { fresh, router } from '../helpers/router.mjs'

test.beforeEach(() =>
  fresh([
    {
      name: 'a',
      tools: [
        { name: 'list', description: 'List things', annotations: { readOnlyHint: true } },
        { name: 'add', description: 'Add a thing' },
      ],
    },
  ]),
)
test.after.always(closePrograms)

/** Runs a program before a server that notes its calls. */
async function run(code) {
  const session = router.openSession({ servers: ['a'] })
  await session.start('list things')
  const calls = []
  const call = async ({ toolName }) => {
    calls.push(toolName)
    return { content: [{ type: 'text', text: '[{"n":1},{"n":2}]' }] }
  }
  const result = await runProgram(session, code, { call })
  return { ...result, calls: calls.join(' ') }
}

const serial = test.serial
const CALLS = 'const l = await tools.a.list({})\n  await tools.a.add({})'
const BODY = `${CALLS}\n  return l.length`

for (const [what, code] of [
  ['a body with return', BODY],
  ['a chain of then', 'return tools.a.list({}).then((l) => tools.a.add({}).then(() => l.length))'],
  ['a function that is called at once', `(async () => { ${BODY} })()`],
  ['a function alone', `async () => { ${BODY} }`],
  ['a named function alone', `async function main() { ${BODY} }`],
  ['a function and its awaited call', `async function main() { ${BODY} }\n\nawait main();`],
  ['a constant function and its call', `const main = async () => { ${BODY} };\nmain();`],
  [
    'helpers and a main that nobody calls',
    `const size = (l) => l.length\nasync function main() { ${CALLS}\n  return size(l) }`,
  ],
  ['a last expression', `${CALLS}\nl.length`],
  ['a last expression over lines', `${CALLS}\nl\n  .map((each) => each.n)\n  .length`],
  ['a last expression with a comment', `${CALLS}\n// how many\nl.length // two`],
  ['a fence', `\`\`\`js\n${BODY}\n\`\`\``],
  ['a fence with words before it', `Here it is:\n\n\`\`\`javascript\n${BODY}\n\`\`\``],
  ['a fence around a function', `\`\`\`js\nasync function main() { ${BODY} }\nmain()\n\`\`\``],
  ['what a module exports', `export default async function main() { ${BODY} }`],
])
  serial(`${what} is run once and answers`, async (t) => {
    const result = await run(code)
    t.is(result.text, '2')
    t.is(result.calls, 'list add')
  })

for (const [what, code, calls] of [
  [
    'whose result is kept',
    'const l = await tools.a.list({})\nawait tools.a.add({})\nconst size = l.length',
    ['a/list', 'a/add'],
  ],
  [
    'whose main is called and kept',
    'async function main() { await tools.a.add({}) }\nconst done = await main()',
    ['a/add'],
  ],
  ['that does not await', 'const l = tools.a.list({})\nreturn l.length', ['a/list']],
  ['with a loop at its end', 'for (const name of ["x"]) {\n  await tools.a.add({ name })\n}', ['a/add']],
])
  serial(`a program ${what} says that it answered nothing, and what it called`, async (t) => {
    const { ok, text } = await run(code)
    t.true(ok)
    t.regex(text, /^It returned nothing and printed nothing\. Calls made: /)
    for (const call of calls) t.true(text.includes(call), text)
    t.regex(text, /use return\.$/)
  })

for (const [what, code] of [
  ['typed variables', 'const l: any[] = await tools.a.list({})\nreturn l.length'],
  ['an interface', 'interface Thing { n: number }\nreturn 1'],
])
  serial(`a program with ${what} hears that types are not read`, async (t) => {
    const { ok, text, calls } = await run(code)
    t.false(ok)
    t.regex(text, /write plain JavaScript, without types/)
    t.is(calls, '')
  })

serial('a program that imports hears where tools are', async (t) => {
  t.regex(
    (await run('import { x } from "y"\nreturn 1')).text,
    /nothing can be imported; tools are in tools\.server\.tool/,
  )
})

serial('a tool that is named and not called is not called', async (t) => {
  for (const code of ['tools.a.add', 'return tools.a.add', 'return tools.a', 'const f = tools.a.add\nf']) {
    const { calls } = await run(code)
    t.is(calls, '', code)
  }
})

serial('two lines that are one statement stay one', async (t) => {
  t.is((await run('const f = (x) => x\nconst y = f\n(7)\nreturn y')).text, '7')
  t.is((await run('const a = 1 +\n2\nreturn a')).text, '3')
  t.is((await run('print(`x\ny`)')).text, 'x\ny')
})

serial('an error names the line of the program, whatever form it has', async (t) => {
  t.regex((await run('const x = 1\nconst y = 2\nx.a.b')).text, /\(line 3\)/)
  t.regex((await run('async function main() {\n  const x = {}\n  return x.a.b\n}\nmain()')).text, /\(line 3\)/)
})
