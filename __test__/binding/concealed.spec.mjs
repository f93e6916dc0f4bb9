// What other programs of the same user can read of a process that conceals itself: nothing that it was started with.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import process from 'node:process'

import test from 'ava'

const ADDON = createRequire(import.meta.url).resolve('../../index.js')
/** Some user that is not root, who may read everything. */
const NOBODY = 65_534

/** A program of a user; answers its first line. */
async function said(t, source, more = {}) {
  const how = { stdio: ['ignore', 'pipe', 'inherit'], cwd: tmpdir(), ...more }
  if (process.getuid?.() === 0) Object.assign(how, { uid: NOBODY, gid: NOBODY })
  const child = spawn(process.execPath, ['-e', source], how)
  t.teardown(() => child.kill())
  const line = await new Promise((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk).trim())))
  return { child, line }
}

const isLinux = process.platform === 'linux'

for (const conceals of [false, true]) {
  ;(isLinux ? test : test.skip)(`another program ${conceals ? 'cannot' : 'can'} read it`, async (t) => {
    const env = { ...process.env, SECRET: 'of-the-gateway' }
    const call = conceals ? `require(${JSON.stringify(ADDON)}).ToolRouter.concealProcess()` : 'true'
    const { child, line } = await said(t, `console.log(${call}); setInterval(() => {}, 1000)`, { env })
    t.is(line, 'true')
    const read = `try { console.log(require('fs').readFileSync('/proc/${child.pid}/environ', 'utf8').includes('of-the-gateway')) }
      catch ({ code }) { console.log(code) }`
    t.is((await said(t, read)).line, conceals ? 'EACCES' : 'true')
    // It is not the program that became another one.
    t.true(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8').includes('setInterval'))
  })
}
