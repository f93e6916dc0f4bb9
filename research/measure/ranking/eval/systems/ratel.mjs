// Ratel, a product of our kind, by its lexical method: its vectors need a model that it would download. The Python
// package is used, since it runs on older systems than the one for Node.js.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'

import { bestPlaces } from './fusion.mjs'
import { LineProcess } from './line-process.mjs'

const requirements = path.join(import.meta.dirname, 'ratel.txt')
export const RATEL = { package: 'ratel-ai', version: /ratel-ai==(\S+)/.exec(fs.readFileSync(requirements, 'utf8'))[1] }

const folder = path.join(import.meta.dirname, '..', '..', '..', '..', '..', '.cache', 'eval', `ratel-${RATEL.version}`)

/** @returns {object | undefined} nothing, after a line that says why, where it cannot be installed */
export function ratel(say) {
  const python = process.env.PYTHON || (process.platform === 'win32' ? 'python' : 'python3')
  if (!fs.existsSync(folder)) {
    say(`installing ratel-ai ${RATEL.version} with pip`)
    const unfinished = `${folder}.${process.pid}`
    const pip = '-m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all:'.split(' ')
    const { status, stderr, error } = spawnSync(python, [...pip, '--target', unfinished, '-r', requirements], {
      encoding: 'utf8',
    })
    if (status !== 0) {
      say(`Ratel is left out: ${error?.message ?? stderr.trim().split('\n').at(-1)}`)
      return undefined
    }
    fs.renameSync(unfinished, folder)
  }
  let child
  return {
    id: 'ratel',
    title: 'Ratel, its lexical method',
    package: RATEL.package,
    async open({ tools }) {
      child ??= LineProcess.start(python, [path.join(import.meta.dirname, 'ratel.py')], {
        // Its warnings are about its own telemetry.
        env: { ...process.env, PYTHONPATH: folder, PYTHONWARNINGS: 'ignore' },
      })
      const started = await child
      const places = new Map(tools.map(({ server, name }, at) => [`${server}__${name}__${at}`, at]))
      // As its own way of taking in an MCP server passes on what the server lists.
      const registered = [...places].map(([id, at]) => {
        const {
          name,
          description = '',
          inputSchema = { type: 'object' },
          outputSchema = { type: 'object' },
        } = tools[at]
        return { id, name, description, inputSchema, outputSchema }
      })
      await started.ask({ tools: registered })
      return {
        async rank(query, count) {
          // It orders equal scores at random: all are asked for, and brought into catalogue order here.
          const scores = new Float64Array(tools.length)
          const hits = await started.ask({ query, count: tools.length })
          for (const [id, score] of hits) scores[places.get(id)] = score
          return bestPlaces(scores, count, 0).map((at) => tools[at].id)
        },
      }
    },
    close: async () => (await child)?.close(),
  }
}
