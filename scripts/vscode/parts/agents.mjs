// What the agents of the editor get: two tools, the gateway, and sample requests that the editor's own model writes.

import assert from 'node:assert/strict'

export async function agents({ window, probe, page, claim, until }) {
  await claim('an agent finds tools through the editor, with their schemas', async () => {
    const names = await probe('lmTools')
    assert.ok(
      ['toolRouter_find', 'toolRouter_call'].every((name) => names.includes(name)),
      names.join(),
    )
    const found = JSON.parse(
      await probe('tool', { name: 'toolRouter_find', input: { query: 'add two numbers, get-sum' } }),
    )
    const sum = found.tools.find(({ name }) => name === 'mcp--everything--get-sum')
    assert.deepEqual(Object.keys(sum.parameters.properties), ['a', 'b'])
    const { selection } = await probe('state')
    assert.ok(selection.attached.includes(sum.name), 'the task of the window has it, so the user sees it')
  })

  await claim("sample requests are written by the editor's model, checked, shown, and found by", async () => {
    await window.command('MCP Tool Router: Write Sample Requests for a Server')
    await window.type('github')
    await window.choose('github')
    await window.choose('Probe') // which model is asked: none is before it is chosen
    const allow = page.locator('.monaco-dialog-box')
    const list = page.locator('.quick-input-list .monaco-list-row', { hasText: 'bake a cake' })
    await Promise.race([
      allow.waitFor({ timeout: 20_000 }).catch(() => {}),
      list.waitFor({ timeout: 20_000 }).catch(() => {}),
    ])
    if (await allow.isVisible()) {
      await window.picture('model-asked')
      await allow.locator('.monaco-button').first().click()
    }
    await list.waitFor()
    await window.picture('sample-requests')
    await window.press('Enter')
    const entry = await until('the entry is set', () => probe('entry', { name: 'github' }))
    assert.ok(entry.syntheticQueries.includes('create an issue for the broken login'))
    assert.ok(!entry.syntheticQueries.includes('bake a cake'), 'it says nothing to its tools')
    return entry.syntheticQueries.join(' | ')
  })
}
