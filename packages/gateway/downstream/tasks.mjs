// Tools that run only as tasks, as the protocol had them in 2025-11-25: for clients that know of none the gateway waits.

import { setTimeout as pause } from 'node:timers/promises'

import { ANYTHING } from '../base/raw.mjs'

/** How often a task is looked at when its server does not say, and bounds of what it says. */
const POLL_MS = 1_000
const MIN_POLL_MS = 100
const MAX_POLL_MS = 30_000
/** Tasks in these states give their result; one that wants input asks for it while its result is waited for. */
const GIVES_RESULT = ['completed', 'failed', 'input_required']

/** Runs a request as a task of the protocol and waits for its result. */
export async function sendAsTask(client, { method, params }, call) {
  const { options } = call
  const { signal } = options
  const ask = (name, taskId) => client.request({ method: name, params: { taskId } }, ANYTHING, options)
  const { task } = await client.request({ method, params: { ...params, task: {} } }, ANYTHING, options)
  const taskId = task?.taskId
  if (typeof taskId !== 'string') throw new Error('the task was not created')
  const cancel = () => void ask('tasks/cancel', taskId).catch(() => {})
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    for (;;) {
      const { status, pollInterval } = await ask('tasks/get', taskId)
      if (GIVES_RESULT.includes(status)) return await ask('tasks/result', taskId)
      call.working()
      if (status !== 'working') throw new Error(`the task is ${status}`)
      const wished = Number.isFinite(pollInterval) ? pollInterval : POLL_MS
      await pause(Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, wished)), undefined, { signal })
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
}
