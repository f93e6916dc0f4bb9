// Bounds and defaults of every value, and that any junk is an answer or a coded error.
import test from 'ava'
import fc from 'fast-check'
import { servers } from '../helpers/catalogue.mjs'
import { fresh, router } from '../helpers/router.mjs'
import { CODES, ROWS } from '../helpers/wrong.mjs'

test.serial('undefined means the default, everywhere', async (t) => {
  await fresh(servers())
  router.configure({})
  const defaults = router.settings
  router.configure({ threshold: undefined, hostModes: undefined, ranker: undefined })
  t.deepEqual(router.settings, defaults)
  const { tools } = await router.rank('list', {
    topK: undefined,
    ranker: undefined,
    hostMode: undefined,
    servers: undefined,
    deadlineMs: undefined,
  })
  t.deepEqual(tools, (await router.rank('list', undefined)).tools)
  router.openSession({ sessionId: undefined, hostMode: undefined, settings: undefined }).close()
  t.is((await router.ready({ timeoutMs: undefined })).state, 'cold')
  await router.setServers([], { replace: undefined })
  await router.removeServer('nobody', undefined)
})

test.serial('configure replaces: what is not given returns to its default', async (t) => {
  await fresh()
  router.configure({})
  const defaults = router.settings
  const rows = ROWS.filter((row) => row.default !== null).map((row) => [row.name, row.default])
  t.deepEqual(defaults, Object.fromEntries(rows))
  router.configure({ threshold: 1, maxTools: 9, hostModes: { m: { allowedMcpServers: [] } } })
  t.deepEqual(router.settings, { ...defaults, threshold: 1, maxTools: 9, hostModes: { m: { allowedMcpServers: [] } } })
  router.configure({ initialK: 2 })
  t.deepEqual(router.settings, { ...defaults, initialK: 2 })
  router.configure({})
  t.deepEqual(router.settings, defaults)
})

test.serial('any junk in any place is an answer or a coded error, and the router lives', async (t) => {
  await fresh(servers())
  router.configure({})
  const junk = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withTypedArray: true,
    withNullPrototype: true,
    withSparseArray: true,
    withObjectString: true,
  })
  const methods = [
    ...'setServer setServers removeServer ready rank explain openSession session restoreSession configure'.split(' '),
    ...'attachInitial search resolveTool countTokens contextUsage recordUse forget'.split(' '),
  ]
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...methods), fc.array(junk, { maxLength: 3 }), async (method, args) => {
      try {
        const answer = await router[method](...args)
        if (method === 'openSession') answer.close()
      } catch (error) {
        t.true(
          CODES.includes(error.code) && error.name === 'ToolRouterError' && error.code !== 'ERR_INTERNAL',
          `${method}: ${error.stack}`,
        )
      }
    }),
    { numRuns: 1500 },
  )
  await fresh(servers())
  router.configure({})
  t.is((await router.rank('list_issues')).tools[0].toolName, 'list_issues')
})
