// install-service: what has the system start a gateway.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import test from 'ava'

import { serviceFile } from '../../../packages/gateway/cli/service.mjs'
import { run } from '../../helpers/child.mjs'
import { CLI, folder, odd, overHttp, startCli } from '../../helpers/gateway.mjs'

const command = ['/usr/bin/node', '/a b/cli.mjs', '--config', '/x/100%/"q"$HOME\\m.json']
const of = (platform, more = {}) =>
  serviceFile({
    platform,
    home: '/home/ada',
    env: { PATH: '/bin:/opt/n' },
    command,
    folder: '/work',
    log: '/l',
    ...more,
  })

test('a systemd unit escapes what means something there, reloads by SIGHUP, and has the PATH of the user', (t) => {
  const { file, text, begin } = of('linux')
  t.is(file, path.join('/home/ada', '.config', 'systemd', 'user', 'zoo-tool-router.service'))
  t.true(text.includes('ExecStart="/usr/bin/node" "/a b/cli.mjs" "--config" "/x/100%%/\\"q\\"$$HOME\\\\m.json"\n'))
  t.regex(text, /^ExecReload=\/bin\/kill -HUP \$MAINPID$/m)
  t.regex(text, /^Environment="PATH=\/bin:\/opt\/n"$/m)
  t.regex(begin.join(), /systemctl --user enable --now zoo-tool-router/)
})

test('a launchd agent is XML with each argument by itself', (t) => {
  const { file, text } = of('darwin', { command: [...command, 'a & <b>'] })
  t.regex(file, /LaunchAgents[\\/]dev\.zoo-tool-router\.gateway\.plist$/)
  t.true(text.includes('<string>/a b/cli.mjs</string><string>--config</string>'))
  t.true(text.includes('<string>a &amp; &lt;b&gt;</string>'))
  t.regex(text, /<key>PATH<\/key><string>\/bin:\/opt\/n<\/string>/)
})

test('a task of Windows quotes arguments as programs there read them', (t) => {
  const { file, text, encoding, begin } = of('win32', {
    env: { LOCALAPPDATA: '/local' },
    command: ['n.exe', 'a b\\', 'c"d'],
  })
  t.is(file, path.join('/local', 'zoo-tool-router', 'service.xml'))
  t.is(encoding, 'utf16le')
  t.true(text.startsWith('\u{feff}<?xml'))
  t.true(text.includes('<Arguments>&quot;a b\\\\&quot; &quot;c\\&quot;d&quot;</Arguments>'))
  t.regex(begin[0], /^schtasks \/Create/)
})

if (process.platform === 'linux')
  test('what is written starts a gateway that a client gets into with the token, and --undo removes it', async (t) => {
    const place = folder(t)
    const config = path.join(place, 'mcp.json')
    writeFileSync(config, JSON.stringify({ mcpServers: { odd: odd() }, gateway: { cacheDir: false } }))
    const env = { ...process.env, HOME: place, XDG_CONFIG_HOME: place, XDG_STATE_HOME: place }
    const install = (...args) =>
      run([CLI, 'install-service', '--config', config, '--http', '127.0.0.1:0', ...args], { env })
    const unit = path.join(place, 'systemd', 'user', 'zoo-tool-router.service')
    t.regex((await install()).stdout, /--write writes it[\s\S]*ExecStart=/)
    t.false(existsSync(unit), 'it was shown')
    t.regex((await install('--write')).stdout, /systemctl --user enable/)
    t.is((await install('--write')).code, 1, 'one that is there is not replaced')
    const [, line] = /^ExecStart=(.*)$/m.exec(readFileSync(unit, 'utf8'))
    const [program, cli, ...args] = [...line.matchAll(/"([^"]*)"/g)].map(([, word]) => word)
    t.deepEqual([program, cli], [process.execPath, CLI])
    const tokenFile = args[args.indexOf('--token-file') + 1]
    t.is(statSync(tokenFile).mode & 0o077, 0)
    const started = startCli(t, args, { env, stdin: 'ignore' })
    const [, url] = await started.line(/listening on (\S+)/)
    const token = readFileSync(tokenFile, 'utf8').trim()
    const client = await overHttp(t, { url, token })
    t.true((await client.names()).length > 0)
    t.false(started.stderr.includes(token))
    t.is((await install('--undo')).code, 0)
    t.false(existsSync(unit) || existsSync(tokenFile))
    t.is((await install('--undo')).code, 1)
  })

if (process.platform === 'linux')
  test('no link is written through, no line break makes a setting, and what others wrote is not removed', async (t) => {
    const place = folder(t)
    const env = { ...process.env, HOME: place, XDG_CONFIG_HOME: place, XDG_STATE_HOME: place }
    const written = (name) => {
      const file = path.join(place, name)
      writeFileSync(file, JSON.stringify({ mcpServers: { odd: odd() } }))
      return file
    }
    const install = (config, ...args) => run([CLI, 'install-service', '--config', config, ...args], { env })
    const config = written('mcp.json')
    const unit = path.join(place, 'systemd', 'user', 'zoo-tool-router.service')
    mkdirSync(path.dirname(unit), { recursive: true })
    const other = path.join(place, 'other')
    writeFileSync(other, 'of another program')
    symlinkSync(other, unit)
    for (const how of ['--write', '--force'])
      t.is((await install(config, '--write', how).catch((error) => error)).code, 1, how)
    t.is((await install(config, '--undo')).code, 1)
    t.is(readFileSync(other, 'utf8'), 'of another program')
    t.true(existsSync(unit))
    rmSync(unit)
    writeFileSync(unit, '[Service]\nExecStart=/bin/own\n')
    const { code, stdout } = await install(config, '--undo')
    t.is(code, 1)
    t.regex(stdout, /was not written by install-service/)
    const { stderr } = await install(written("a\nExecStartPre='touch x'\n.json"))
    t.regex(stderr, /without line breaks/)
  })

test('a configuration that cannot be read is not installed', async (t) => {
  const place = folder(t)
  const config = path.join(place, 'mcp.json')
  writeFileSync(config, '{')
  const env = { ...process.env, HOME: place, XDG_CONFIG_HOME: place, XDG_STATE_HOME: place, LOCALAPPDATA: place }
  const { code, stderr } = await run([CLI, 'install-service', '--config', config, '--write'], { env })
  t.is(code, 1)
  t.regex(stderr, /expected JSON/)
})
