// What TypeScript says of programs.
import {
  DEFAULT_LIMITS,
  type ProgramReason,
  programTool,
  runProgram,
  warmPrograms,
} from '../packages/programs/index.mjs'
import { ToolRouter } from '../index.js'

const session = ToolRouter.shared().openSession()
const call = async ({ serverName }: { serverName: string }) => ({ content: [{ type: 'text', text: serverName }] })

await warmPrograms()
const { ok, problem, calls } = await runProgram(session, 'return 1', {
  call,
  approve: async ({ toolName, kind }) => kind !== 'destructive' || toolName === 'x',
  limits: { calls: 3 },
  parameters: { repo: 'acme/web' },
  signal: AbortSignal.timeout(1000),
})
const reason: ProgramReason | undefined = problem?.reason
const states: ('done' | 'failed' | 'under-way' | 'refused')[] = calls.map(({ state }) => state)
const tool: { name: string; inputSchema: object } = programTool()

// @ts-expect-error calls are made by the host
await runProgram(session, 'return 1', {})
// @ts-expect-error a limit that does not exist
await runProgram(session, 'return 1', { call, limits: { wishes: 3 } })
// @ts-expect-error limits are constant
DEFAULT_LIMITS.calls = 5
ok satisfies boolean
export { reason, states, tool }
