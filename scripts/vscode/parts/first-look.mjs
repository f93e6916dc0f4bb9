// SPDX-License-Identifier: Apache-2.0
//
// What a person meets who has just installed the extension, with its defaults, in a folder without any MCP server.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const THEMES = {
  dark: 'Default Dark Modern',
  light: 'Default Light Modern',
  'high-contrast': 'Default High Contrast',
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

    for (const [name, theme] of Object.entries(THEMES)) {
      const file = path.join(host.user, 'settings.json')
      fs.writeFileSync(
        file,
        JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), 'workbench.colorTheme': theme }),
      )
      const isLight = name === 'light'
      const has = (wanted) => window.page.locator(`.monaco-workbench.${wanted}`).count()
      await until(
        `the theme ${theme}`,
        async () => (await has(name === 'high-contrast' ? 'hc-black' : isLight ? 'vs' : 'vs-dark')) > 0,
      )
      await window.picture(`first-look-${name}`)
    }
  } finally {
    await window.page.close()
    host.close()
  }
}
