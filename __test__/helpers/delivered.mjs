// A session of a delivery, and the pairs of provider and delivery that there are.
import { ToolRouter } from '../../index.js'
import { servers } from './catalogue.mjs'

export const router = ToolRouter.shared()

export const TASK = 'List the open issues of the repository and comment on the newest one'

export const PAIRS = {
  anthropic: ['append', 'defer', 'changes', 'call', 'program'],
  'openai-responses': ['append', 'defer', 'call', 'program'],
  'openai-chat': ['append', 'call'],
  gemini: ['append', 'call'],
  bedrock: ['append', 'call'],
  vscode: ['append', 'call'],
}

export async function started(settings = {}) {
  router.configure({ threshold: 5, hostModes: { ask: { blockedMcpServers: ['codehub'] } } })
  await router.setServers(servers(), { replace: true })
  const session = router.openSession({ settings: { initialK: 3, ...settings } })
  return { session, selection: await session.start(TASK) }
}
