// The test models of the agent frameworks: a function gives the call that a step makes, or none where the model is done.
import { Usage } from '@openai/agents-core'
import { MockLanguageModelV4 } from 'ai/test'

/** No two calls of a conversation share an id. */
let made = 0

/** @param {(request: any) => [name: string, args: object] | undefined} step */
export function aiSdkModel(step) {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
  const doGenerate = async (request) => {
    const next = step(request)
    const content = next
      ? { type: 'tool-call', toolCallId: `call_${made++}`, toolName: next[0], input: JSON.stringify(next[1]) }
      : { type: 'text', text: 'Done.' }
    const finishReason = { unified: next ? 'tool-calls' : 'stop', raw: undefined }
    return { content: [content], finishReason, usage, warnings: [] }
  }
  return new MockLanguageModelV4({ doGenerate })
}

/** @param {(request: any) => [name: string, args: object] | undefined} step */
export function agentsModel(step) {
  const getResponse = async (request) => {
    const next = step(request)
    const text = [{ type: 'output_text', text: 'Done.' }]
    const output = next
      ? { type: 'function_call', callId: `call_${made++}`, name: next[0], arguments: JSON.stringify(next[1]) }
      : { type: 'message', role: 'assistant', status: 'completed', content: text }
    return { usage: new Usage(), output: [{ status: 'completed', ...output }] }
  }
  return { getResponse }
}
