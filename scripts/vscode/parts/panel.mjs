// The context usage panel: numbers equal to the router's, in every theme, by keyboard, without scripts.

import assert from 'node:assert/strict'

/** Each theme with the class of its page, and whether its paper is light. */
const THEMES = {
  'Default Light Modern': ['vscode-light', true],
  'Default High Contrast': ['vscode-high-contrast', false],
  'Default High Contrast Light': ['vscode-high-contrast-light', true],
  'Default Dark Modern': ['vscode-dark', false],
}
/** What WCAG 2 asks for text of this size (AA). */
const CONTRAST = 4.5
const number = (text) => Number(text.replaceAll(',', ''))

export async function panel({ window, probe, claim, until }) {
  await claim('the panel shows the numbers of the router, by server and together', async () => {
    await window.command('MCP Tool Router: Context Usage')
    const frame = await window.panel()
    await window.picture('usage-dark')
    const { selection } = await probe('state')
    const { tokens } = selection
    const total = async (which) => number(await frame.locator(`[data-total=${which}]`).textContent())
    const sent = tokens.attached + tokens.mcpLoad + tokens.directory
    assert.deepEqual([await total('now'), await total('before')], [sent, tokens.scoped])
    const rows = await frame.locator('tbody tr').allTextContents()
    const lines = selection.directory.length > 0 ? 1 : 0
    assert.equal(rows.length, tokens.servers.length + 1 + lines, 'each server, mcp_load and what is named')
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
    return `${sent} of ${tokens.scoped} tokens`
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
      ['h1', '[role=img][aria-label]', 'table caption', 'th[scope=col]', 'tbody th[scope=row]'].map((css) =>
        frame.locator(css).count(),
      ),
    )
    assert.ok(
      counts.every((count) => count > 0),
      counts.join(),
    )
    await frame.locator('.scroll').first().focus()
    assert.equal(await frame.evaluate(() => globalThis.document.activeElement.getAttribute('role')), 'region')
  })

  await claim('servers of which nothing is sent stand apart, and the head of a column sorts', async () => {
    const frame = await window.panel()
    const sentOf = (table) => frame.locator(`${table} tbody tr td:nth-child(3)`).allTextContents()
    assert.ok((await sentOf('details')).every((sent) => sent === '0'))
    assert.ok(!(await sentOf('main > .scroll')).includes('0'))
    for (const [head, by] of [
      ['Server', 'ascending'],
      ['Would be sent', 'descending'],
      ['With every tool', 'descending'],
    ]) {
      await (await window.panel()).locator('thead a', { hasText: head }).first().click()
      await until(`sorted by ${head}`, async () => {
        const marked = await (await window.panel())
          .locator('table >> nth=0 >> th[aria-sort]')
          .evaluateAll((all) => all.map((one) => [one.textContent, one.ariaSort]))
        return marked.join() === [head, by].join()
      })
    }
  })

  for (const [theme, [name, isLight]] of Object.entries(THEMES)) {
    await claim(`the panel in the theme ${theme}: its colours, and text that can be read`, async () => {
      await probe('theme', { name: theme })
      const frame = await window.panel()
      await until('the panel has the theme', () =>
        frame.evaluate((wanted) => document.body.classList.contains(wanted), name),
      )
      const colours = await frame.evaluate(() => {
        const style = (css) => getComputedStyle(document.querySelector(css))
        const canvas = document.createElement('canvas').getContext('2d')
        const rgb = (colour) => {
          canvas.fillStyle = colour
          canvas.fillRect(0, 0, 1, 1)
          return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
        }
        const paper = rgb(getComputedStyle(document.documentElement).getPropertyValue('--vscode-editor-background'))
        return {
          paper,
          text: rgb(style('body').color),
          small: rgb(style('thead th').color),
          bar: rgb(style('rect.now').fill),
        }
      })
      await window.picture(`usage-${theme.toLowerCase().replaceAll(' ', '-')}`)
      const { paper, ...inks } = colours
      assert.equal(luminance(paper) > 0.5, isLight, `paper ${paper}`)
      const contrasts = Object.entries(inks).map(([ink, colour]) => [ink, contrast(colour, paper)])
      for (const [ink, value] of contrasts) assert.ok(value >= (ink === 'bar' ? 3 : CONTRAST), `${ink}: ${value}`)
      return contrasts.map(([ink, value]) => `${ink} ${value.toFixed(1)}`).join(', ')
    })
  }
}

function luminance(rgb) {
  const [red, green, blue] = rgb.map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}
