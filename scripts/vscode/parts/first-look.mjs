// What a person meets who has just installed the extension, with its defaults, in a folder without any MCP server.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Each theme by its name and the class that the window has with it. */
const THEMES = {
  'high-contrast': ['Default High Contrast', 'hc-black'],
  light: ['Default Light Modern', 'vs'],
  dark: ['Default Dark Modern', 'vs-dark'],
}
/** The editor registers its own tools and looks for others in this time. */
const QUIET_MS = 8_000

export async function firstLook({ fresh, newWindow, folder, claim, until }) {
  const empty = path.join(folder, 'empty')
  fs.mkdirSync(empty)
  const host = await fresh('first-look', {}, empty)
  const window = await newWindow()
  try {
    await window.open(host.url)
    await claim(
      'in an empty folder nothing is counted, accused or yellow: the view says what to do first',
      async () => {
        await window.openView()
        await window.page.locator('.pane-body', { hasText: 'The editor runs no MCP server' }).first().waitFor()
        await sleep(QUIET_MS)
        assert.equal(await window.status(), undefined, 'the status bar has nothing to say')
        assert.equal(await window.page.locator('.pane-body .monaco-list-row').count(), 0, 'no row')
        const badge = window.page.locator('.activitybar .action-item', {
          has: window.page.locator('[aria-label^="MCP Tool Router"]'),
        })
        assert.equal(await badge.locator('.badge:visible').count(), 0, 'no badge')
        assert.doesNotMatch(await window.told(), /MCP Tool Router/)
      },
    )

    await claim('it looks right in light, dark and high contrast', async () => {
      const file = path.join(empty, '.vscode', 'settings.json')
      fs.mkdirSync(path.dirname(file))
      for (const [name, [theme, css]] of Object.entries(THEMES)) {
        fs.writeFileSync(file, JSON.stringify({ 'workbench.colorTheme': theme }))
        await until(
          `the theme ${theme}`,
          async () => (await window.page.locator(`.monaco-workbench.${css}`).count()) > 0,
        )
        await window.page.mouse.move(900, 300)
        await window.picture(`first-look-${name}`)
      }
    })
  } finally {
    await window.page.close()
    host.close()
  }
}
