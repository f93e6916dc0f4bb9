// Settings take effect in the running task; a bad value is told where the user looks; the off switch is at hand.

import assert from 'node:assert/strict'

export async function settings({ window, probe, workspace, claim, until }) {
  const selected = (what, check) =>
    until(what, async () => {
      const state = await probe('state')
      return check(state) && state
    })

  await claim('the off switch attaches everything in the running task, and back again tools are chosen', async () => {
    const { selection: before } = await probe('state')
    workspace.writeSettings({ 'toolRouter.enabled': false })
    const off = await selected('all are attached', ({ selection }) => selection.rule === 'kill-switch')
    assert.equal(off.definitions.length, off.selection.scopedCount, 'no mcp_load, every tool')
    await until('the status bar says so', async () => (await window.status())?.includes('routing off'))
    await window.picture('off-switch')
    workspace.writeSettings({})
    const on = await selected(
      'tools are chosen',
      ({ selection }) => selection.mode === 'dynamic' && selection.attached.length < 100,
    )
    await until('the status bar counts again', async () =>
      (await window.status())?.includes(`${on.selection.attached.length + on.selection.directory.length} of`),
    )
    return `${before.attached.length} -> ${off.definitions.length} -> ${on.selection.attached.length} tools`
  })

  await claim('a value out of range is told in the status bar, and the last good settings stay', async () => {
    workspace.writeSettings({ 'toolRouter.searchK': 0, 'toolRouter.threshold': 77 })
    await until('the status bar warns', async () =>
      (await window.hoverStatus()).includes('expected an integer from 1 to 1000'),
    )
    await window.picture('bad-setting')
    const { settings: used } = await probe('state')
    assert.deepEqual([used.searchK, used.threshold], [10, 50])
    workspace.writeSettings({})
    await until('the warning is gone', async () => !(await window.hoverStatus()).includes('expected'))
  })
}
