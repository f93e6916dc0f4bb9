// Checked by tsc, never run: what must compile, and what must not.
import { Session, ToolRouter } from '../index.js'
import { ToolRouter as WholeRouter, type Session as WholeSession } from '../internal.js'
import type {
  DegradedReason,
  Embedder,
  LoadModelOptions,
  LoadResult,
  McpServer,
  McpTool,
  ProviderTools,
  RankedTool,
  SessionState,
  Status,
  TelemetryEvent,
} from '../index.js'

/** Fails to compile unless both are the same type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(_: Same<A, B>): void => {}

// --- right uses ---

const router = ToolRouter.shared()
const whole = WholeRouter.shared()
whole satisfies ToolRouter
same<ReturnType<WholeRouter['openSession']>, WholeSession>(true)
same<Extract<'setServers' | 'explain' | 'nearNames', keyof ToolRouter>, never>(true)
same<Extract<'attach', keyof Session>, never>(true)

/** What the programs of docs, which are compiled too, do not do. */
export async function rightUses(): Promise<void> {
  router.configure(router.settings)
  router.configure({ threshold: undefined })

  // A tool as the MCP SDK types it: readonly hints, a schema object, unknown fields.
  const fromSdk = {
    name: 'a',
    inputSchema: { type: 'object' as const, properties: { x: {} }, required: ['x'] },
    annotations: { readOnlyHint: true, title: 'T' },
    _meta: { 'anthropic/alwaysLoad': true },
    execution: { taskSupport: 'optional' as const },
  }
  const tool: McpTool = fromSdk
  const server: McpServer = {
    name: 's',
    tools: [tool, fromSdk, { name: 'b' }],
    onlyAllow: 'none',
    alwaysLoad: ['a'],
    source: 'project',
  }
  await router.setServer(server)
  // A host's own interfaces, with fields that are none of the router's.
  interface OwnHints {
    readOnlyHint: boolean
    cost: number
  }
  interface OwnTool {
    name: string
    description?: string
    annotations?: OwnHints
    _meta?: { 'acme/owner': string }
    owner: string
  }
  interface OwnServer {
    name: string
    tools: OwnTool[]
    status: string
  }
  const own: OwnServer = { name: 'own', tools: [], status: 'connected' }
  await router.setServer(own)
  await whole.setServers([own, server])
  await router.loadModel({ cacheDir: false, threads: 2 } satisfies LoadModelOptions)
  const embedder: Embedder = async (texts) => texts.map(() => new Float32Array(3))
  await router.setEmbedder(embedder, { modelId: 'm', cacheDir: '/tmp' })
  await router.setEmbedder((texts) => texts.map((text) => [text.length, 1]))
  const status: Status = await router.ready({ timeoutMs: 5 })
  const reason: DegradedReason | undefined = status.degraded?.code
  switch (reason) {
    case undefined:
    case 'model-not-loaded':
    case 'model-loading':
    case 'vectors-pending':
    case 'embedding-failed':
    case 'deadline-exceeded':
    case 'catalogue-pending':
      break
    default:
      reason satisfies never
  }

  const session: Session = router.openSession({ sessionId: 'x', hostMode: 'code', settings: { initialK: 3 } })
  await session.load('{"query":"x"}')
  const state: SessionState = session.toJSON()
  state.version.toFixed()
  // @ts-expect-error no such option
  await whole.signatures({ name: 'create_issue' })

  router.onTelemetry((event: TelemetryEvent) => {
    switch (event.event) {
      case 'dynamic_tools.task_start':
        event.tokensSaved.toFixed()
        break
      case 'dynamic_tools.mcp_load_invoked':
        event.unavailableCount.toFixed()
        break
      case 'dynamic_tools.rolling_window_step':
        event.addedCount.toFixed()
        break
      case 'dynamic_tools.directory_used':
        event.by satisfies 'load' | 'call'
        event.toolCount.toFixed()
        break
      case 'dynamic_tools.ranker_fallback':
        event.reason satisfies DegradedReason
        break
      default:
        event satisfies never
    }
  })
}

// --- wrong uses ---

export async function wrongUses(session: Session): Promise<void> {
  // @ts-expect-error there is one router, which shared() gives
  new ToolRouter()
  // @ts-expect-error sessions come from openSession
  new Session()
  // @ts-expect-error a misspelt setting
  router.configure({ tresholds: 1 })
  // @ts-expect-error a signal says what is missing
  void router.session('s').reroute({ originalQuery: 'q' })
  // @ts-expect-error an unknown mode
  router.configure({ ranker: 'fast' })
  // @ts-expect-error a number, not text
  router.configure({ initialK: '5' })
  // @ts-expect-error settings cannot be assigned
  router.settings = {}
  // @ts-expect-error a server has a name
  await router.setServer({ tools: [] })
  await router.setServer({ name: 's' }) // not listed yet
  // @ts-expect-error a misspelt field of a server
  await router.setServer({ name: 's', tool: [] })
  // @ts-expect-error a schema is text or an object
  await router.setServer({ name: 's', tools: [{ name: 'a', inputSchema: 5 }] })
  // @ts-expect-error an unknown option
  await whole.setServers([], { replaces: true })
  // @ts-expect-error a query must be given
  await router.rank()
  // @ts-expect-error a misspelt option
  await router.rank('x', { topk: 5 })
  // @ts-expect-error both names are needed
  await whole.explain('x', { toolName: 'a' })
  // @ts-expect-error an embedder or null must be given
  await router.setEmbedder()
  // @ts-expect-error an embedder answers with vectors
  await router.setEmbedder((texts) => texts)
  // @ts-expect-error k must be given
  await router.attachInitial('x', [])
  // @ts-expect-error arguments hold a query
  await session.load({})
  // @ts-expect-error answers are promises
  router.rank('x').tools
  // @ts-expect-error a selection may be null
  session.selection.mode
  // @ts-expect-error a mode all has no mcp_load
  ;(await session.start('x')).mcpLoad satisfies string
  const [first] = (await router.rank('x')).tools as [RankedTool, ...RankedTool[]]
  // @ts-expect-error similarity may be absent
  first.similarity satisfies number
}

// --- requests of a provider ---

export async function requests(session: Session, result: LoadResult): Promise<void> {
  const { tools } = session.render({ provider: 'anthropic', delivery: 'changes' })
  session.answerLoad(result, { callId: 'x' })
  await session.checkCall({ name: 'x', arguments: { a: 1 } })
  await session.turn('x', { contextTokens: 5 })
  for (const provider of ['gemini', 'openai-chat', 'bedrock', 'vscode'] as const)
    session.render({ provider, delivery: 'call' })
  session.render({ provider: 'openai-responses', delivery: 'defer' })
  session.render({ delivery: 'changes' }) // of the provider of the settings
  session.answerLoad(result, { callId: 'x', provider: 'gemini', delivery: 'append' })
  const definitions: ProviderTools['anthropic'] = JSON.parse(tools)
  definitions.map((tool) => ('input_schema' in tool ? `${tool.name} ${tool.input_schema.type}` : tool.type))
  session.render({ provider: 'openai-responses', delivery: 'program' })
  // @ts-expect-error Gemini runs no programs
  session.render({ provider: 'gemini', delivery: 'program' })
  // @ts-expect-error Gemini takes no deferred tools
  session.render({ provider: 'gemini', delivery: 'defer' })
  // @ts-expect-error the id of the call is needed
  session.answerLoad(result, {})
}
