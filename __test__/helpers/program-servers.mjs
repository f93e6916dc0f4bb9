// A task whose programs call a host that notes what it is asked.
import { runProgram } from '../../packages/programs/index.mjs'
import { router } from './router.mjs'

export const text = (value) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
})

const SCOPE = ['github', 'my shop', 'my.shop', 'search']

/** A task, and a host that notes what it calls. */
export async function task(answer = () => text([]), options = { servers: SCOPE }) {
  const session = router.openSession(options)
  await session.start('list the issues of the repository')
  const made = []
  const call = async ({ serverName, toolName }, args, more) => {
    made.push([`${serverName}/${toolName}`, args])
    return answer({ serverName, toolName }, args, more)
  }
  const run = (code, more = {}) => runProgram(session, code, { call, ...more })
  return { session, made, run }
}
