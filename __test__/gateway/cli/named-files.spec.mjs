// Files that a configuration names: whoever wrote it may name what never ends, or what nobody writes to.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

import { configFile, folder, startCli } from '../../helpers/gateway.mjs'
import { where } from '../../helpers/skips.mjs'

const posix = where(process.platform !== 'win32', 'Windows has no such files')

/** What `doctor` says of a configuration; one that waits is ended by the test's own time. */
async function doctor(t, config) {
  const file = configFile(t, { gateway: { dir: folder(t) }, ...config })
  const started = startCli(t, ['doctor', '--config', file])
  await started.ended
  return started.stdout + started.stderr
}

const WAYS = {
  'an envFile': (file) => ({ mcpServers: { odd: { command: 'node', envFile: file } } }),
  'a placeholder': (file) => ({ mcpServers: { odd: { command: 'node', env: { KEY: `\${file:${file}}` } } } }),
}

for (const [way, configOf] of Object.entries(WAYS)) {
  posix(`a device, a pipe, a folder and a file that is too large are refused as ${way}`, async (t) => {
    // Its own name is as random as a secret, and hidden like one.
    const place = path.join(folder(t), 'named')
    mkdirSync(place)
    const pipe = path.join(place, 'pipe')
    execFileSync('mkfifo', [pipe])
    const large = path.join(place, 'large')
    writeFileSync(large, 'x'.repeat(1_048_576))
    for (const [file, what] of [
      ['/dev/zero', /a device/],
      [pipe, /a pipe/],
      [place, /a folder|EISDIR/],
      [large, /1048576 bytes/],
      [path.join(place, 'none'), /ENOENT/],
    ]) {
      const said = await doctor(t, configOf(file))
      t.regex(said, what, file)
      t.true(said.includes(path.basename(file)), `${said} names ${file}`)
    }
  })
}
