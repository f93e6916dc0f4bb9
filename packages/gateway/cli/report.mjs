// tool-router-gateway report: what a task would get of the servers of a configuration, and why, as one page.

import path from 'node:path'

import { plain } from '../base/errors.mjs'
import { createGateway } from '../gateway/index.mjs'
import { count, percent } from '../base/numbers.mjs'
import { page } from '../report/page.mjs'
import { playTask } from '../report/play.mjs'
import { writeNew } from '../clients/write-file.mjs'

/** How long is waited for servers: what starts later is left out, and said. */
const START_MS = 120_000
const FILE = 'tool-report.html'
/** A page of a person's own words and servers: others need not read it. */
const MODE = 0o600

/**
 * @param {{ config: string, workspace?: string, later?: string[], lexical?: boolean, out?: string, force?: boolean,
 * verbose?: boolean }} values
 * @param {string} task the first message
 * @param {(line: string) => void} print
 * @param {(line: string) => void} say what goes beside the report, with `verbose`
 * @param {(opened: { close: () => Promise<void> }) => void} opened told of the gateway, for a signal that comes meanwhile
 * @returns {Promise<number>} the exit code
 */
export async function runReport(
  { config: file, workspace, later = [], out = FILE, ...values },
  task,
  print,
  say,
  opened,
) {
  const { lexical, force, verbose } = values
  const gateway = await createGateway({ configFile: file, workspace, verbose, log: verbose ? say : undefined })
  opened(gateway)
  try {
    const { router } = gateway
    const inWords = ({ message }) => say(`${message}; ranking is by terms only`)
    await Promise.all([lexical || router.loadModel().catch(inWords), gateway.ready({ timeoutMs: START_MS })])
    if (!lexical) await router.ready()
    for (const { name, state, reason } of gateway.servers)
      if (state !== 'ready') print(`without ${plain(name, 128)}: ${reason ?? 'it is still starting'}`)
    if (router.status.toolCount === 0)
      throw new Error('no server has a tool; `npx @zoo-code/tool-router-gateway doctor` says why')
    const played = await playTask(router, [task, ...later])
    const target = path.resolve(out)
    writeNew(target, page(played), { force, mode: MODE })
    const { scoped, saved } = played.first.tokens
    print(
      `${count(scoped - saved)} tokens of tools instead of ${count(scoped)} (${percent(saved / scoped)} fewer): ${target}`,
    )
    return 0
  } finally {
    await gateway.close()
  }
}
