// A task whose programs call a host that notes what it is asked.
import { runProgram } from '../../packages/programs/index.mjs'
import { router } from './router.mjs'

const schema = (properties, required = []) => JSON.stringify({ type: 'object', properties, required })

const READS = { readOnlyHint: true }

/** What programs call in most tests. */
export const SERVERS = [
  {
    name: 'github',
    tools: [
      { name: 'list_issues', description: 'List the issues of a repository', annotations: READS },
      {
        name: 'create_issue',
        description: 'Create an issue',
        inputSchema: schema({ title: { type: 'string' }, labels: { type: 'array' } }, ['title']),
      },
      { name: 'delete_repo', description: 'Delete a repository' },
      { name: 'sync_all', description: 'Synchronise everything', annotations: { destructiveHint: true } },
    ],
  },
  { name: 'my shop', tools: [{ name: 'find-order.v2', description: 'Find an order' }] },
  { name: 'my.shop', tools: [{ name: 'pay', description: 'Pay an order' }] },
  { name: 'search', tools: [{ name: 'web', description: 'Search the web' }] },
  { name: 'vault', tools: [{ name: 'read_secret', description: 'Read a secret of the vault' }] },
]

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
