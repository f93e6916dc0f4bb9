// A gateway in a process of its own over a shared database, with clients over HTTP.
import { run } from './child.mjs'
import { CLI, configFile, LONG_MS, startCli } from './gateway.mjs'

export const TOKEN = 'a-token-of-a-test-with-some-length'

/**
 * Starts one with a configuration; what the gateway prints for a person is in `printed()`.
 *
 * @param {string} store the address of the database
 */
export async function replica(
  t,
  store,
  { mcpServers, gateway = {}, ...config },
  { args = ['--lexical'], port = 0, env = {} } = {},
) {
  const servers = Object.entries(mcpServers).map(([name, entry]) => [name, { startTimeout: LONG_MS / 1000, ...entry }])
  const settings = { timeout: LONG_MS / 1000, store, ...gateway }
  const file = configFile(t, { ...config, mcpServers: Object.fromEntries(servers), gateway: settings })
  const started = startCli(t, ['gateway', '--config', file, '--http', String(port), ...args], {
    env: { ZOO_TOOL_ROUTER_TOKEN: TOKEN, ...env },
  })
  // A gateway that ends by itself says why.
  void started.ended.then(({ code }) => code === null || t.log(started.stderr))
  const [, url] = await started.line(/listening on (\S+)/)
  return {
    url,
    token: TOKEN,
    file,
    child: started.child,
    ended: started.ended,
    line: started.line,
    printed: () => started.stderr,
    command: (...args) => run([CLI, ...args, '--config', file]),
    approve: (...names) => run([CLI, 'approve', ...names, '--config', file]),
    kill: async (signal = 'SIGKILL') => {
      started.child.kill(signal)
      await started.ended
    },
  }
}
