import * as fs from 'fs'
import * as os from 'os'
import * as path from 'path'

import type { ClineMessage, McpServer, ModeConfig } from '@roo-code/types'

import { McpCallTool } from '../../../core/tools/McpCallTool'
import { McpLoadTool } from '../../../core/tools/McpLoadTool'
import { buildNativeToolsArrayWithRestrictions } from '../../../core/task/build-tools'
import { getMcpServerTools } from '../../../core/prompts/tools/native-tools/mcp_server'
import type { Task } from '../../../core/task/Task'
import { addTexts, createToolSession } from '../createToolSession'
import { captured, known, toldOf } from './storyKnown'

vi.setConfig({ testTimeout: 180_000 })
vi.mock('../../code-index/manager', () => ({ CodeIndexManager: { getInstance: () => undefined } }))

const { STORY_SERVERS = '', STORY_TASKS = '', STORY_WAY = '', STORY_OURS = '' } = process.env
const isAddon = STORY_WAY === 'addon'
const storage = fs.mkdtempSync(path.join(os.tmpdir(), 'zoo-story-'))
afterAll(() => fs.rmSync(storage, { recursive: true, force: true }))

const NINE = ['github', 'gitlab', 'notion', 'linear', 'supabase', 'context7', 'brave-search', 'playwright', 'slack']
const serverOf = (name: string): McpServer => {
  const tools = captured.find((each) => each.name === name)?.tools
  return { name, config: '{}', status: 'connected', source: 'global', tools }
}

/** The hub of the window. */
const hub = {
  servers: NINE.filter((name) => name !== 'slack').map(serverOf),
  getServers: () => hub.servers.filter(({ disabled }) => !disabled),
  getAllServers: () => hub.servers,
  findServerNameBySanitizedName: (name: string) => name,
  calls: [] as unknown[][],
  callTool: async (...given: unknown[]) => {
    hub.calls.push(given)
    return { content: [{ type: 'text', text: 'done' }] }
  },
}
const allowed = (slug: string, allowedMcpServers?: string[]): ModeConfig => ({
  slug,
  name: slug,
  roleDefinition: slug,
  groups: ['read', 'mcp'],
  allowedMcpServers,
})
const PLANNING = ['notion', 'linear', 'context7', 'brave-search']
const CODING = ['github', 'gitlab', 'supabase', 'slack', 'playwright']
const MODES = [allowed('architect', PLANNING), allowed('code', CODING), allowed('everything')]

let experiments: Record<string, boolean> = { dynamicMcpTools: true }
const told: unknown[] = []

/** A task of the window: its chat and its history are real, and its tools are those of the extension's own functions. */
function taskOf(taskId: string, mode: string, parentTaskId?: string) {
  const state = { mode, customModes: MODES }
  const provider = {
    context: {},
    getMcpHub: () => hub,
    getState: async () => state,
    contextProxy: { getValue: (key: string) => (key === 'experiments' ? experiments : undefined) },
    postMessageToWebview: async () => {},
    postStateToWebviewWithoutTaskHistory: async () => {},
  }
  const clineMessages: ClineMessage[] = []
  const history: { role: string; content: { type: string; text: string }[] }[] = []
  let at = Date.now()
  let requests = 0
  const say = (say: ClineMessage['say'], text?: string, more: object = {}) =>
    clineMessages.push({ ts: (at += 1), type: 'say', say, text, ...more })
  const task = {
    taskId,
    parentTaskId,
    clineMessages,
    providerRef: { deref: () => provider },
    api: { getModel: () => ({ id: 'model', info: { contextWindow: 200_000 } }) },
    // As in the extension: of the last request.
    getTokenUsage: () => ({ contextTokens: requests === 0 ? 0 : 5_000 + 100 * history.length }),
    consecutiveMistakeCount: 0,
    recordToolError: () => {},
    say: async () => {},
    getTaskMode: async () => state.mode,
  } as unknown as Task
  Object.defineProperty(task, 'toolSession', { value: createToolSession(task, storage) })
  const user = (text: string) => {
    say(clineMessages.length === 0 ? 'text' : 'user_feedback', text)
    history.push({ role: 'user', content: [{ type: 'text', text }] })
  }
  /** What is sent, and what stands in the history by then. */
  const request = async () => {
    const built = await buildNativeToolsArrayWithRestrictions({
      provider: provider as never,
      cwd: storage,
      mode: state.mode,
      customModes: MODES,
      experiments,
      apiConfiguration: undefined,
      toolSession: task.toolSession,
    })
    const texts = await task.toolSession.takeTexts()
    if (texts.length > 0) {
      addTexts(history, texts)
    }
    requests += 1
    const tools = built.tools as { function: { name: string; description: string } }[]
    return {
      list: JSON.stringify(built.tools),
      names: tools.map((tool) => tool.function.name),
      mcp: tools.map((tool) => tool.function.name).filter((name) => name.startsWith('mcp')),
      told: texts.join('\n'),
      load: tools.find((tool) => tool.function.name === 'mcp_load')?.function.description ?? '',
    }
  }
  const results: string[] = []
  const callbacks = {
    askApproval: async () => true,
    handleError: async (_action: string, error: Error) => void results.push(`error: ${error.message}`),
    pushToolResult: (content: unknown) => results.push(String(content)),
  }
  const tool = async (run: Promise<void>) => {
    await run
    history.push({ role: 'user', content: [{ type: 'text', text: results.at(-1) ?? '' }] })
    return results.at(-1) ?? ''
  }
  const load = (query: string) => tool(new McpLoadTool().execute({ query }, task, callbacks as never))
  const call = (name: string, args: unknown) =>
    tool(new McpCallTool().execute({ name, arguments: args }, task, callbacks as never))
  const read = () => history.flatMap(({ content }) => content.map(({ text }) => text)).join('\n')
  return { task, state, user, say, request, load, call, read, history, clineMessages }
}

describe(`a task from its first text to its end, ${STORY_WAY}`, () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation((...given) => void told.push(given))
  const main = taskOf('main', 'architect')
  let list = ''

  it('begins with what the mode has, behind a list of two tools', async () => {
    main.user('Plan the work on GitLab merge request 311, write it down as a Notion page and file issues in Linear')
    const { mcp, told, names } = await main.request()
    expect(mcp).toEqual(['mcp_load', 'mcp_call'])
    expect(names.length).toBeGreaterThan(2)
    expect(toldOf(told, 'notion').length).toBeGreaterThan(0)
    for (const server of CODING) {
      expect(toldOf(told, server)).toEqual([])
    }
  })

  it('adds nothing for small talk, and the list stays', async () => {
    list = (await main.request()).list
    main.user('ok, go on')
    const next = await main.request()
    expect(next.told).toBe('')
    expect(next.list).toBe(list)
  })

  it('has other tools in another mode, without a new text', async () => {
    main.state.mode = 'code'
    const { told, mcp } = await main.request()
    expect(mcp).toEqual(['mcp_load', 'mcp_call'])
    expect(CODING.flatMap((server) => toldOf(told, server)).length, told).toBeGreaterThan(0)
    list = (await main.request()).list
  })

  it('has a server that connects five seconds late, with the next request that needs it', async () => {
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    hub.servers.push(serverOf('slack'))
    await main.request()
    main.user('sag Maria im Slack-Kanal #release Bescheid')
    await main.request()
    await main.load('post a message to a slack channel')
    const { list: after } = await main.request()
    expect(toldOf(main.read(), 'slack').length).toBeGreaterThan(0)
    expect(after).toBe(list)
  })

  it('never sends all tools for a text in another script', async () => {
    for (const [id, text] of [
      ['ja', 'GitLabのマージリクエスト一覧を見せて'],
      ['ja-alone', 'マージリクエストの一覧を見せてください'],
      ['el', 'Δείξε μου τα ανοιχτά αιτήματα'],
      ['de', 'Lies den Log des fehlgeschlagenen Jobs in GitLab'],
    ]) {
      const other = taskOf(id, 'everything')
      other.user(text)
      const { mcp, told } = await other.request()
      expect(mcp).toEqual(['mcp_load', 'mcp_call'])
      expect(known([told]).size).toBeLessThanOrEqual(100)
      if (text.includes('GitLab')) {
        expect(toldOf(told, 'gitlab').length).toBeGreaterThan(0)
      }
    }
  })

  it("loads what the model asks for by name, and calls it with the extension's own tool", async () => {
    const loaded = await main.load('mcp--gitlab--create_issue')
    expect(loaded).toContain('mcp--gitlab--create_issue')
    const args = { project_id: '7', title: 'Broken' }
    await main.call('mcp--gitlab--create_issue', args)
    expect(hub.calls.at(-1)).toEqual(['gitlab', 'create_issue', args])
  })

  it('tells a wrong argument, and a tool of the other mode, before the server is asked', async () => {
    const { length } = hub.calls
    expect(await main.call('mcp--gitlab--create_issue', { titel: 'Broken' })).toMatch(/title|required|lack/)
    const notion = captured.find(({ name }) => name === 'notion')?.tools?.[0].name
    expect(await main.call(`mcp--notion--${notion}`, {})).toMatch(/mode|scope|allowed|may not/i)
    expect(hub.calls.length).toBe(length)
  })

  it('goes on while a server is away, and has its tools when it is back', async () => {
    const gitlab = hub.servers.findIndex(({ name }) => name === 'gitlab')
    const [server] = hub.servers.splice(gitlab, 1)
    await main.request()
    expect(await main.call('mcp--gitlab--create_issue', { project_id: '7', title: 'x' })).toMatch(/gitlab|not/)
    hub.servers.splice(gitlab, 0, { ...server, tools: [...(server.tools ?? [])] })
    await main.request()
    const args = { project_id: '7', title: 'Again' }
    await main.call('mcp--gitlab--create_issue', args)
    expect(hub.calls.at(-1)).toEqual(['gitlab', 'create_issue', args])
    expect((await main.request()).list).toBe(list)
  })

  it('a subtask has a session of its own, and its parent keeps what it has', async () => {
    const sub = taskOf('sub', 'code', 'main')
    sub.user('Write the migration of the users table in Supabase and run it')
    const { told } = await sub.request()
    expect(toldOf(told, 'supabase').length).toBeGreaterThan(0)
    sub.user('done')
    await sub.request()
    const args = { project_id: '7', title: 'After the subtask' }
    await main.call('mcp--gitlab--create_issue', args)
    expect(hub.calls.at(-1)).toEqual(['gitlab', 'create_issue', args])
  })

  it('hears a text that comes with an approval', async () => {
    main.say('user_feedback', 'yes, and use browser_take_screenshot of playwright too')
    main.history.push({ role: 'user', content: [{ type: 'text', text: 'approved' }] })
    const { told } = await main.request()
    expect(toldOf(told, 'playwright')).toContain('mcp--playwright--browser_take_screenshot')
  })

  it('says its tools again where the conversation was condensed, and none of another mode', async () => {
    main.history.length = 0
    main.say('condense_context', undefined, {
      contextCondense: {
        summary: 'The issue was created in GitLab. Left: tell Maria in the Slack channel.',
        cost: 0,
        prevContextTokens: 1,
        newContextTokens: 1,
      },
    })
    main.history.push({ role: 'user', content: [{ type: 'text', text: 'summary' }] })
    const { told, mcp } = await main.request()
    expect(mcp).toEqual(['mcp_load', 'mcp_call'])
    expect(toldOf(told, 'slack').length).toBeGreaterThan(0)
    for (const server of PLANNING) {
      expect(toldOf(told, server)).toEqual([])
    }
    list = (await main.request()).list
  })

  it('goes on when the editor is closed and the task resumed, also in another mode', async () => {
    const again = taskOf('main', 'code')
    again.clineMessages.push(...main.clineMessages)
    expect((await again.request()).list).toBe(list)
    const args = { project_id: '7', title: 'After the window' }
    await again.load('mcp--gitlab--create_issue')
    await again.call('mcp--gitlab--create_issue', args)
    expect(hub.calls.at(-1)).toEqual(['gitlab', 'create_issue', args])
    const switched = taskOf('main', 'architect')
    switched.clineMessages.push(...main.clineMessages)
    switched.user('now write it into the Notion page')
    const { told, mcp } = await switched.request()
    expect(mcp).toEqual(['mcp_load', 'mcp_call'])
    expect(toldOf(told, 'notion').length).toBeGreaterThan(0)
  })

  it('sends at most 128 tools however often tools are loaded', async () => {
    const many = taskOf('many', 'everything')
    many.user('Look at the repository')
    const first = await many.request()
    for (const query of ['issue', 'merge request', 'branch', 'page', 'database', 'click', 'user', 'file', 'search']) {
      await many.load(query)
      await many.load(`${query} of a project`)
    }
    const last = await many.request()
    expect(last.names.length).toBeLessThanOrEqual(128)
    // The limit is one of the list, and loaded tools stand in the conversation.
    expect(known([many.read()]).size).toBeGreaterThan(0)
    expect(last.list).toBe(first.list)
  })

  it('sends all tools when it is switched off, and the chosen ones when it is on again', async () => {
    experiments = {}
    const off = await main.request()
    expect(off.mcp.length).toBeGreaterThan(50)
    experiments = { dynamicMcpTools: true }
    expect((await main.request()).mcp).toEqual(['mcp_load', 'mcp_call'])
  })

  it('tells at most once for the window that the addon is not there, and no other problem', () => {
    const problems = told.filter((each) => !/loadModel|model/i.test(JSON.stringify(each)))
    expect(problems.length).toBe(isAddon ? 0 : 1)
    warn.mockRestore()
  })
})

interface LabelledTask {
  text: string
  needs: { ids: string[]; words: string }[]
  late?: string
}

/** The labelled tasks, by the extension's functions and by the library alone. */
describe(`the labelled tasks, ${STORY_WAY}`, () => {
  const { fixed, late } = JSON.parse(fs.readFileSync(STORY_TASKS, 'utf8')) as Record<string, LabelledTask[]>
  const figures: string[] = []
  const nameOf = (id: string) => `mcp--${id.replace('::', '--')}`
  const isMet = (names: Set<string>, ids: string[]) => ids.some((id) => names.has(nameOf(id)))
  afterAll(() =>
    fs.writeFileSync(path.join(path.dirname(STORY_SERVERS), `${STORY_WAY}.figures.json`), JSON.stringify(figures)),
  )
  /** Tools of the mode, made once: the extension makes them anew for each request, which takes seconds for a thousand. */
  const all = () => getMcpServerTools(hub as never)
  let tools: ReturnType<typeof all> = []
  const tell = async ({ task }: ReturnType<typeof taskOf>) => {
    await task.toolSession.select(tools, { mode: 'everything' })
    return (await task.toolSession.takeTexts()).join('\n')
  }
  const waitForModel = async () => {
    if (!isAddon) return
    const name = path.join(STORY_OURS, 'index.js')
    const { ToolRouter } = (await import(name)).default
    while ((await ToolRouter.shared().ready({ timeoutMs: 30_000 })).state === 'loading');
    // A machine that is busy must not decide what is ranked by meaning.
    const router = ToolRouter.shared()
    router.configure({ ...router.settings, deadlineMs: 60_000 })
    return router
  }

  it('are as complete as with the library, within one', async () => {
    hub.servers = captured.map(({ name }) => serverOf(name))
    tools = all()
    const warm = taskOf('warm', 'everything')
    warm.user('hello')
    await tell(warm)
    const router = await waitForModel()
    let complete = 0
    let reference = 0
    for (const [at, { text, needs }] of fixed.entries()) {
      const task = taskOf(`fixed-${at}`, 'everything')
      task.user(text)
      const texts = [await tell(task)]
      for (const { ids, words } of needs) {
        if (!isMet(known(texts), ids)) texts.push(await task.load(words))
      }
      complete += needs.every(({ ids }) => isMet(known(texts), ids)) ? 1 : 0
      if (!router) continue
      const session = router.openSession({ sessionId: `reference-${at}` })
      const { attached, directory } = await session.start(text)
      const names = new Set<string>([...attached, ...directory])
      for (const { ids, words } of needs) {
        if (isMet(names, ids)) continue
        for (const { name } of (await session.load({ query: words })).loaded) names.add(name)
      }
      reference += needs.every(({ ids }) => isMet(names, ids)) ? 1 : 0
      session.close()
    }
    figures.push(`${complete} of ${fixed.length} tasks complete` + (router ? `, ${reference} with the library` : ''))
    if (router) expect(complete).toBeGreaterThanOrEqual(reference - 1)
    expect(complete).toBeGreaterThan(isAddon ? 20 : 10)
  }, 7_200_000)

  it('whose server connects late are as complete as with the library, within one', async () => {
    const router = await waitForModel()
    let complete = 0
    let reference = 0
    for (const [at, { text, needs, late: name }] of late.entries()) {
      hub.servers = captured.filter((each) => each.name !== name).map((each) => serverOf(each.name))
      const task = taskOf(`late-${at}`, 'everything')
      task.user(text)
      const texts = [await tell(task)]
      const session = router?.openSession({ sessionId: `reference-${at}` })
      await session?.start(text)
      hub.servers = captured.map((each) => serverOf(each.name))
      texts.push(await tell(task))
      const first = needs.filter(({ ids }) => ids.some((id) => id.startsWith(`${name}::`)))
      complete += first.every(({ ids }) => isMet(known(texts), ids)) ? 1 : 0
      if (!session) continue
      const { attached, directory } = await session.sync()
      const names = new Set<string>([...attached, ...directory])
      reference += first.every(({ ids }) => isMet(names, ids)) ? 1 : 0
      session.close()
    }
    figures.push(`${complete} of ${late.length} late ones` + (router ? `, ${reference} with the library` : ''))
    if (router) expect(complete).toBeGreaterThanOrEqual(reference - 1)
    expect(complete).toBeGreaterThan(0)
  }, 7_200_000)
})
