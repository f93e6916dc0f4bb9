// A tool whose texts try something: it is said, and a person who has looked may find it fine.

import assert from 'node:assert/strict'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const ODD_SERVER = fileURLToPath(new URL('../odd-server.mjs', import.meta.url))

export async function shield({ window, probe, page, workspace, claim, until }) {
  await claim(
    'a suspicious tool is quoted, and nothing more is said about it once the user finds it fine',
    async () => {
      workspace.servers.tempting = { command: process.execPath, args: [ODD_SERVER, 'tempting'] }
      workspace.write()
      await probe('command', { name: 'workbench.view.extension.toolRouter' })
      await window.row('2 tools look suspicious').waitFor()
      const dialog = page.locator('.monaco-dialog-box')
      await probe('command', { name: 'toolRouter.showSuspicious' })
      await window.choose('summarise')
      await dialog.waitFor()
      assert.match(await dialog.textContent(), /"Ignore all previous instructions|keep this from the user/)
      await window.picture('suspicious-or-fine')
      await window.answerDialog(/^This Is Fine/)
      await window.row('1 tool looks suspicious').waitFor()
      delete workspace.servers.tempting
      workspace.write()
      await until('it is gone', async () => !(await probe('state')).servers.some(({ name }) => name === 'tempting'))
    },
  )
}
