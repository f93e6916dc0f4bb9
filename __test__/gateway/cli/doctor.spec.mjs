// `doctor` and `report` on the command line.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import test from 'ava'
import { configFile, folder, odd, startCli } from '../../helpers/gateway.mjs'

const script = (source, more = {}) => ({ command: process.execPath, args: ['-e', source], ...more })

test('doctor starts each server once and says what works, what not and why, and what it costs', async (t) => {
  const place = folder(t)
  const starts = path.join(place, 'starts')
  const counted = `require('fs').appendFileSync(${JSON.stringify(starts)}, 'x'); throw new Error('API_TOKEN is required')`
  const file = configFile(
    t,
    `{ // a comment
      "mcpServers": ${JSON.stringify({ fine: odd({ lazy: true, disabledTools: ['die'] }), bad: script(counted), out: { url: 'x' }, off: { disabled: true } })},
    }`,
  )
  const doctor = startCli(t, ['doctor', '--config', file])
  t.deepEqual(await doctor.ended, { code: 1, signal: null })
  const lines = doctor.stdout.split('\n')
  t.regex(lines[0], /^ok +fine +\d+ tools, \d+ in scope, [\d,]+ tokens, [\d.]+ s$/)
  t.regex(lines[1], /^FAIL +bad +it has ended with code 1: Error: API_TOKEN is required$/)
  t.regex(lines[2], /^LEFT +out +config\.mcpServers\["out"\]\.url: expected an http or https URL/)
  t.regex(lines[3], /^off +off +switched off$/)
  t.regex(
    doctor.stdout,
    /1 of 3 work\.\nTokens of tools in each request: [\d,]+ without the gateway, [\d,]+ with it at first\.\n$/,
  )
  t.true(['x', 'xx'].includes(readFileSync(starts, 'utf8')), 'once, in each era of the protocol')
})
