// A gateway that the system starts with the user's session: a systemd user unit, a launchd agent, or a task of Windows.

import path from 'node:path'

/** How the service is called everywhere. */
const NAME = 'zoo-tool-router'
const LABEL = `dev.${NAME}.gateway`

/**
 * @typedef {object} Service
 * @property {string} platform as `process.platform`
 * @property {string} home
 * @property {NodeJS.ProcessEnv} env
 * @property {string[]} command program and arguments
 * @property {string} folder where the gateway runs
 * @property {string} log file for what it prints, where the system keeps none
 *
 * @typedef {object} ServiceFile
 * @property {string} file
 * @property {string} text
 * @property {BufferEncoding} encoding
 * @property {string[]} begin commands for the user
 * @property {string[]} end
 *
 * @param {Service} service
 * @returns {ServiceFile}
 */
export function serviceFile(service) {
  const { platform } = service
  if (platform === 'win32') return windowsTask(service)
  return platform === 'darwin' ? launchdAgent(service) : systemdUnit(service)
}

/** @returns {ServiceFile} */
function systemdUnit({ home, env, command, folder }) {
  const text = `[Unit]
Description=MCP gateway of zoo-tool-router

[Service]
ExecStart=${command.map(ofSystemd).join(' ')}
ExecReload=/bin/kill -HUP $MAINPID
WorkingDirectory=${folder.replaceAll('%', '%%')}
Environment=${ofSystemd(`PATH=${env.PATH ?? ''}`)}
Restart=on-failure

[Install]
WantedBy=default.target
`
  const base = env.XDG_CONFIG_HOME || path.join(home, '.config')
  return {
    file: path.join(base, 'systemd', 'user', `${NAME}.service`),
    text,
    encoding: 'utf8',
    begin: ['systemctl --user daemon-reload', `systemctl --user enable --now ${NAME}`],
    end: [`systemctl --user disable --now ${NAME}`],
  }
}

/** A word of a unit: `%` and `$` mean something there. */
function ofSystemd(word) {
  const escaped = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')
  return `"${escaped}"`
}

/** @returns {ServiceFile} */
function launchdAgent({ home, env, command, folder, log }) {
  const string = (value) => `<string>${ofXml(value)}</string>`
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>${string(LABEL)}
  <key>ProgramArguments</key>
  <array>${command.map(string).join('')}</array>
  <key>WorkingDirectory</key>${string(folder)}
  <key>EnvironmentVariables</key>
  <dict><key>PATH</key>${string(env.PATH ?? '')}</dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>StandardErrorPath</key>${string(log)}
</dict>
</plist>
`
  const file = path.join(home, 'Library', 'LaunchAgents', `${LABEL}.plist`)
  const shown = JSON.stringify(file)
  return {
    file,
    text,
    encoding: 'utf8',
    begin: [`launchctl bootstrap gui/$(id -u) ${shown}`],
    end: [`launchctl bootout gui/$(id -u)/${LABEL}`],
  }
}

/** @returns {ServiceFile} */
function windowsTask({ home, env, command, folder }) {
  const [program, ...args] = command
  const text = `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers><LogonTrigger><Enabled>true</Enabled></LogonTrigger></Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>3</Count></RestartOnFailure>
  </Settings>
  <Actions>
    <Exec>
      <Command>${ofXml(program)}</Command>
      <Arguments>${ofXml(args.map(ofWindows).join(' '))}</Arguments>
      <WorkingDirectory>${ofXml(folder)}</WorkingDirectory>
    </Exec>
  </Actions>
</Task>
`
  const base = env.LOCALAPPDATA ?? path.join(home, 'AppData', 'Local')
  const file = path.join(base, NAME, 'service.xml')
  return {
    file,
    text: `\u{feff}${text}`,
    encoding: 'utf16le',
    begin: [`schtasks /Create /TN ${NAME} /XML "${file}"`, `schtasks /Run /TN ${NAME}`],
    end: [`schtasks /Delete /TN ${NAME} /F`],
  }
}

const XML = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const ofXml = (text) => text.replaceAll(/[&<>"]/g, (character) => XML[character])

/** An argument as programs of Windows read their command line: backslashes count only before a quotation mark. */
function ofWindows(argument) {
  return `"${argument.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
}
