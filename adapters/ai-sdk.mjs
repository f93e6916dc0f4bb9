// A session behind the AI SDK, version 7: as `prepareStep`, or as what `toolSearch` searches with.

import * as ai from 'ai'

import { answerCall, definitionsOf } from './session-calls.mjs'

// By its name: an import of what an older one does not have would fail without a word of what to do.
if (typeof ai.toolSearch !== 'function')
  throw new Error(
    "@zoo-code/tool-router/ai-sdk: expected version 7 of the package 'ai', got an older one; npm install ai@7, on Node.js 22 or later",
  )
const { jsonSchema, NoSuchToolError, tool, toolSearch } = ai

/** Tools that one search of the SDK's may give: as many as `mcp_load` does. */
const MAX_FOUND = 10

/** All tools in scope, which a session has before its first turn; and what the session offers besides them. */
function allDefinitions(router, session, options) {
  const all = router.openSession(options)
  try {
    return new Map([...definitionsOf(all), ...definitionsOf(session)].map((one) => [one.name, one]))
  } finally {
    all.close()
  }
}

function toolsOf(definitions, session, call, more = () => ({})) {
  const entry = ({ name, description, parameters }) => [
    name,
    tool({
      description,
      inputSchema: jsonSchema(parameters),
      execute: (args) => answerCall(session, call, name, args),
      ...more(name),
    }),
  ]
  return Object.fromEntries([...definitions.values()].map(entry))
}

/** A name that the model does not have: it reads what the session says about it, as near names, instead of all that there are. */
const repairOf =
  (session) =>
  async ({ toolCall, error }) => {
    if (!NoSuchToolError.isInstance(error)) return null
    const { problem } = await session.checkCall({ name: toolCall.toolName, arguments: toolCall.input })
    throw problem ? new Error(problem.message) : error
  }

/** For `generateText` and `streamText`, after each turn of the session. */
export function routedTools(router, session, call, options) {
  return {
    tools: toolsOf(allDefinitions(router, session, options), session, call),
    prepareStep: () => {
      const names = definitionsOf(session).map(({ name }) => name)
      // Without `toolOrder` the SDK sends tools in the order of its object: a new one would stand in the cached prefix.
      return { activeTools: names, toolOrder: names }
    },
    repairToolCall: repairOf(session),
  }
}

/** The same for the SDK's own search: what the session has not attached is deferred, and found through the session. */
export function searchedTools(router, session, call, options) {
  const definitions = allDefinitions(router, session, options)
  definitions.delete('mcp_load')
  const attached = new Set(definitionsOf(session).map(({ name }) => name))
  const search = async ({ query }) => {
    const { loaded, alreadyAttached } = await session.load({ query })
    return [...loaded.map(({ name }) => name), ...alreadyAttached]
  }
  return {
    tools: {
      ...toolsOf(definitions, session, call, (name) => ({ deferLoading: !attached.has(name) })),
      search: toolSearch({ maxResults: MAX_FOUND, search }),
    },
    repairToolCall: repairOf(session),
  }
}
