// Try it: what a request would get and why, and an answer for what nothing serves.

import assert from 'node:assert/strict'

/** Of the list, when nothing is typed. */
const PLACEHOLDER = 'file a bug report for the login page'

export async function tryIt({ window, probe, page, claim, until }) {
  /** The list closes where something else takes the focus, as a window that is still at work may. */
  const open = () =>
    window.insist(
      'the list is open',
      () => window.command('MCP Tool Router: Try a Request'),
      () => page.getByPlaceholder(PLACEHOLDER).isVisible(),
    )

  await claim('a request is ranked while it is typed, with the reasons', async () => {
    await open()
    await window.type('create a branch in the repository')
    await until('a branch tool is first', async () => (await window.rows()).some((row) => /1\. .*branch/.test(row)))
    await window.picture('try-it')
    const rows = await window.rows()
    assert.ok(
      rows.some((row) => /by its (words|meaning)/.test(row)),
      rows.join('\n'),
    )
  })

  await claim('mcp_load from here loads into the running task', async () => {
    const { selection: before } = await probe('state')
    await window.type('search notion pages by title')
    await until('there are answers', async () =>
      (await window.rows()).some((row) => /1\. /.test(row) && /notion/.test(row)),
    )
    // The first row is the last one after the next: the list goes round.
    const way = page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'Ask for it with mcp_load' })
    await window.insist(
      'the way is chosen',
      () => window.press('ArrowUp'),
      () => way.isVisible(),
      400,
    )
    await window.press('Enter')
    const { selection } = await until('tools are loaded', async () => {
      const state = await probe('state')
      return state.selection.attached.length > before.attached.length && state
    })
    await page.locator('.notification-toast', { hasText: 'Loaded' }).first().waitFor()
    await window.picture('loaded')
    await probe('command', { name: 'notifications.clearAll' })
    return `${before.attached.length} -> ${selection.attached.length}`
  })
}
