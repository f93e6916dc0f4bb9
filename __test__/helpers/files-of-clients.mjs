// A machine whose user has files of several clients, and what is collected from them.
import fs from 'node:fs'
import path from 'node:path'

import { clientFiles, permissionFiles } from '../../packages/gateway/clients/clients.mjs'
import { collect } from '../../packages/gateway/clients/collect.mjs'
import { folder, startCli } from './gateway.mjs'

/** A user's folder with files of clients, and what is collected from them. */
export function machine(t, files, { env = {} } = {}) {
  const home = folder(t)
  const project = path.join(home, 'shop')
  fs.mkdirSync(project)
  const put = (file, content) => {
    const place = path.join(home, file)
    fs.mkdirSync(path.dirname(place), { recursive: true })
    fs.writeFileSync(place, typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content))
  }
  for (const [file, content] of Object.entries(files)) put(file, content)
  const where = { home, project }
  const found = () => clientFiles({ ...where, platform: 'linux', env: {} })
  const gather = () =>
    collect(found(), { ...where, permissions: permissionFiles({ ...where, platform: 'linux', env: {} }), env })
  const run = async (...args) => {
    const started = startCli(t, ['import', '--project', project, ...args], {
      env: { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: '', ...env },
    })
    const { code } = await started.ended
    return { code, stdout: started.stdout, stderr: started.stderr }
  }
  return { home, project, put, gather, run, out: path.join(project, 'mcp.json') }
}

export const CURSOR = '.cursor/mcp.json'
export const CLAUDE = '.claude.json'
export const of = (mcpServers) => ({ mcpServers })
export const states = ({ found }) => found.map(({ name, state, as }) => [name, state, as])
