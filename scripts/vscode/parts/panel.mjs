// SPDX-License-Identifier: Apache-2.0
//
// The context usage panel: numbers equal to the router's, in every theme, by keyboard, without scripts.

import assert from 'node:assert/strict'

const THEMES = ['Default Light Modern', 'Default High Contrast', 'Default High Contrast Light', 'Default Dark Modern']
const number = (text) => Number(text.replaceAll(',', ''))

export async function panel({ window, probe, claim, until, page }) {
  await claim('the panel shows the numbers of the router, by server and together', async () => {
    await window.command('MCP Tools: Context Usage')
    const frame = await window.panel()
    await window.picture('usage-dark')
    const { selection } = await probe('state')
    const { tokens } = selection
    const total = async (which) => number(await frame.locator(`[data-total=${which}]`).textContent())
    assert.deepEqual([await total('now'), await total('before')], [tokens.attached + tokens.mcpLoad, tokens.scoped])
    const rows = await frame.locator('tbody tr').allTextContents()
    assert.equal(rows.length, tokens.servers.length + 1, 'each server and mcp_load')
    for (const { serverName, attached, scoped } of tokens.servers) {
      const cells = await frame
        .locator('tbody tr', { has: frame.locator(`th:text-is("${serverName}")`) })
        .locator('td')
        .allTextContents()
      assert.deepEqual([number(cells[1]), number(cells[2])], [attached, scoped], serverName)
    }
    const usage = await probe('usage')
    const bySection = usage.servers.reduce((sum, { tokens: count }) => sum + count, 0)
    assert.equal(bySection, tokens.attached, 'contextUsage says the same')
    return `${tokens.attached + tokens.mcpLoad} of ${tokens.scoped} tokens`
  })

  await claim('it runs no script and loads nothing remote', async () => {
    const frame = await window.panel()
    const policy = await frame.locator('meta[http-equiv]').getAttribute('content')
    assert.match(policy, /^default-src 'none'; style-src [^;]+;$/)
    assert.equal(await frame.locator('body script').count(), 0)
    const links = await frame.locator('[src], link[href]').evaluateAll((all) => all.map((one) => one.src || one.href))
    assert.ok(
      links.every((link) => /vscode-resource|127\.0\.0\.1|vscode-cdn/.test(link)),
      links.join(),
    )
  })

  await claim('a screen reader finds a heading, a described picture and a table with headers', async () => {
    const frame = await window.panel()
    const counts = await Promise.all(
      ['h1', 'svg[role=img][aria-label]', 'table caption', 'th[scope=col]', 'tbody th[scope=row]'].map((css) =>
        frame.locator(css).count(),
      ),
    )
    assert.ok(
      counts.every((count) => count > 0),
      counts.join(),
    )
    await frame.locator('.scroll').focus()
    assert.equal(await frame.evaluate(() => globalThis.document.activeElement.getAttribute('role')), 'region')
  })

  for (const theme of THEMES) {
    await claim(`the panel in the theme ${theme}`, async () => {
      await probe('theme', { name: theme })
      const wanted = theme.includes('High') ? 'hc' : theme.includes('Light') ? 'vs' : 'vs-dark'
      await until('the theme is there', () => page.locator(`.monaco-workbench[class*="${wanted}"]`).count())
      const frame = await window.panel()
      const [text, paper] = await frame.evaluate(() => {
        const { color } = globalThis.getComputedStyle(globalThis.document.body)
        return [
          color,
          globalThis
            .getComputedStyle(globalThis.document.documentElement)
            .getPropertyValue('--vscode-editor-background'),
        ]
      })
      await window.picture(`usage-${theme.toLowerCase().replaceAll(' ', '-')}`)
      return `text ${text} on ${paper}`
    })
  }
}
