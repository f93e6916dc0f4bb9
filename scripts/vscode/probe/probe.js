// Runs beside the extension in the same host and answers the test over a loopback port: what the router says, what the host
// costs. It also registers a language model that answers in prose, as models do.

const http = require('node:http')
const vscode = require('vscode')

const REQUESTS = [
  'show me the open issues of the web repository',
  'create an issue for the broken login',
  'bake a cake',
]

/** What it asks for, and what it then calls, as a model with tools does. */
const WANTED = 'mcp--everything--get-sum'

/** The next step of a model that loads a tool, calls it, and says what the result was. */
function step(tools, messages, asked) {
  const names = tools.map(({ name }) => name)
  asked.push({ names, definitions: JSON.stringify(tools), messageCount: messages.length })
  const results = messages.flatMap(({ content }) =>
    content.filter((part) => part instanceof vscode.LanguageModelToolResultPart),
  )
  const own = messages.at(-1).content.filter((part) => part instanceof vscode.LanguageModelToolResultPart)
  if (own.length === 0)
    return new vscode.LanguageModelToolCallPart(`load${results.length}`, 'mcp_load', { query: WANTED })
  const text = own.flatMap(({ content }) => content.map(({ value }) => value)).join('')
  const args = { a: 20, b: 22 }
  if (!own[0].callId.startsWith('load')) return new vscode.LanguageModelTextPart(`It answered: ${text}`)
  return names.includes('mcp_call')
    ? new vscode.LanguageModelToolCallPart('call', 'mcp_call', { name: WANTED, arguments: args })
    : new vscode.LanguageModelToolCallPart('call', WANTED, args)
}

exports.activate = async (context) => {
  const extension = vscode.extensions.getExtension('zoo-code-examples.mcp-tool-router')
  const api = await extension.activate()
  /** Allows every server that waits, as a person who trusts all of them; after a reload too. */
  const allowAll = () => {
    const allow = () => api.hub.asking.length > 0 && void api.hub.allow(api.hub.asking)
    context.subscriptions.push(api.hub.onDidChange(allow))
    allow()
  }
  if (context.globalState.get('allowAll')) allowAll()
  /** What the model was asked with: the names of the tools of each request, and how many messages. */
  const asked = []
  const operations = {
    state: () => ({
      pid: process.pid,
      status: api.router.status,
      settings: api.router.settings,
      selection: api.task.selection,
      definitions: JSON.parse(api.task.definitions).map((tool) => tool.function.name),
      servers: api.hub.servers.map(({ name, state, reason, tools }) => ({ name, state, reason, tools: tools.length })),
      problems: api.hub.problems,
    }),
    allowAll: async () => {
      await context.globalState.update('allowAll', true)
      allowAll()
    },
    start: async ({ text }) => void (await api.task.start(text)),
    load: ({ query }) => api.task.load(query),
    listed: ({ server }) => api.router.listTools({ servers: [server] }),
    rank: ({ query }) => api.router.rank(query, { topK: 5 }),
    entry: ({ name }) => api.router.serverEntry(name),
    setting: ({ name, value }) => vscode.workspace.getConfiguration('toolRouter').update(name, value, false),
    command: ({ name, args = [] }) => void vscode.commands.executeCommand(name, ...args),
    savedTask: ({ value }) => api.task.memory.update('task', value),
    keptTask: () => api.task.memory.get('task'),
    asked: () => asked.splice(0),
    tool: async ({ name, input }) => {
      const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined })
      return content.map(({ value }) => value).join('')
    },
    call: ({ server: name, name: tool, arguments: args }) =>
      api.hub.call(name, tool, args, { token: new vscode.CancellationTokenSource().token }),
    lmTools: () => vscode.lm.tools.map(({ name }) => name),
  }
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    try {
      const { op, ...args } = JSON.parse(body)
      response.end(JSON.stringify({ answer: (await operations[op](args)) ?? null }))
    } catch (error) {
      response.end(JSON.stringify({ error: error.stack ?? String(error) }))
    }
  })
  server.keepAliveTimeout = 600_000 // a socket that is closed while it is used again fails a question
  const port = Number(process.env.TOOL_ROUTER_PROBE_PORT)
  const listen = () => server.listen(port, '127.0.0.1')
  server.on('error', () => setTimeout(listen, 500)) // the host before the reload still has the port
  listen()
  context.subscriptions.push({ dispose: () => server.close() && server.closeAllConnections() })
  const model = {
    provideLanguageModelChatInformation: () => [
      {
        id: 'probe',
        name: 'Probe',
        family: 'probe',
        version: '1',
        maxInputTokens: 9000,
        maxOutputTokens: 900,
        capabilities: {},
      },
    ],
    provideLanguageModelChatResponse: async (_model, messages, { tools = [] }, progress) => {
      if (tools.length > 0) return progress.report(step(tools, messages, asked))
      const text = `Here are the requests [1]:\n\n\`\`\`json\n${JSON.stringify(REQUESTS)}\n\`\`\`\nI hope they help.`
      progress.report(new vscode.LanguageModelTextPart(text))
    },
    provideTokenCount: async (_model, text) => String(text).length,
  }
  try {
    context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider('probe', model))
  } catch (error) {
    console.error(error)
  }
}
