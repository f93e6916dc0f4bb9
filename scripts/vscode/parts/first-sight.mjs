// A person installs the VSIX, opens a workspace with servers and starts a task.

import assert from 'node:assert/strict'

export async function firstSight({ window, probe, page, workspace, claim, until }) {
  await claim('no server of a file starts before it is allowed, and the view and the status bar say so', async () => {
    const count = Object.keys(workspace.servers).length
    const isAsking = async () => {
      const { servers } = await probe('state')
      return servers.length === count && servers.every(({ state }) => state === 'asking')
    }
    await until('all wait', isAsking)
    await until('the hover says so', async () =>
      (await window.hoverStatus()).includes(`${count} servers wait for your consent`),
    )
    await probe('command', { name: 'toolRouter.scope.focus' })
    await window.row(`${count} servers wait`).waitFor()
    await window.picture('consent-asked')
    assert.ok(await isAsking())
  })

  await claim('by keys alone the row that asks shows all that each runs and sends before it is allowed', async () => {
    const byKeys = async () => {
      await probe('command', { name: 'toolRouter.scope.focus' })
      await window.press('Home')
      await window.press('Enter')
    }
    await window.insist('the list is open', byKeys, async () =>
      (await window.rows()).some((row) => row.includes('memory')),
    )
    await window.picture('consent')
    await page.locator('.quick-input-header [role=checkbox]').first().click()
    await window.press('Enter')
    const dialog = page.locator('.monaco-dialog-box')
    await dialog.waitFor()
    const shown = await dialog.textContent()
    const github = workspace.servers.github
    for (const part of [...github.args, ...Object.keys(github.env)]) assert.ok(shown.includes(part), part)
    await window.picture('what-starts')
    await window.press('Enter')
    await until('none waits', async () => (await probe('state')).servers.every(({ state }) => state !== 'asking'))
    await probe('command', { name: 'workbench.action.closeAllEditors' })
    await page.mouse.move(900, 300)
    await probe('allowAll')
  })

  await claim('all servers of the workspace connect and their tools are in the router', async () => {
    const state = await until(
      'the servers are connected',
      async () => {
        const now = await probe('state')
        return (
          now.servers.length === Object.keys(workspace.servers).length &&
          now.servers.every((s) => s.state === 'connected') &&
          now
        )
      },
      120_000,
    )
    const tools = state.servers.reduce((sum, server) => sum + server.tools, 0)
    await until('their tools are in the router', async () => (await probe('state')).status.toolCount === tools)
    return `${state.servers.length} servers, ${tools} tools`
  })

  await claim('before a task the status bar tells how many tools there are', async () => {
    const { status } = await probe('state')
    await until('the status bar says so', async () =>
      (await window.status())?.includes(`${status.toolCount} MCP tools`),
    )
    await window.picture('before-a-task')
  })

  await claim('the first request of a task sends some of them, and the status bar counts them', async () => {
    await window.command('MCP Tool Router: Start a Task')
    await window.type('find the open merge requests of the web project and comment on the oldest one')
    await window.press('Enter')
    const { selection } = await until('the task has started', async () => {
      const now = await probe('state')
      return now.selection && now
    })
    assert.equal(selection.mode, 'dynamic')
    const sent = selection.attached.length + selection.directory.length
    assert.ok(sent > 0)
    const text = `${sent} of ${selection.scopedCount} MCP tools`
    await until(`the status bar says ${text}`, async () => (await window.status())?.includes(text))
    return text
  })

  await claim('hovering tells of tools and tokens, which add up, and of the rule of the gate', async () => {
    const { selection } = await probe('state')
    const hover = await window.hoverStatus()
    await window.picture('status-hover')
    const figures = (pattern) => Array.from(pattern.exec(hover), (text) => Number(text.replaceAll(',', ''))).slice(1)
    const [cost, every, saved] = figures(/cost ([\d,]+) tokens .* instead of ([\d,]+): ([\d,]+) tokens saved/)
    assert.deepEqual([cost + saved, saved], [every, selection.tokens.saved])
    const [all, ...states] = figures(/Of ([\d,]+) tools ([\d,]+) .* whole, ([\d,]+) named .*, and ([\d,]+) not sent/)
    assert.equal(states[0] + states[1] + states[2], all)
    assert.match(hover, /more than the threshold of 50/)
  })

  await claim('a click lists tools by how they are sent; choosing one that is not sent whole loads it', async () => {
    await window.clickStatus()
    await until('the list is open', async () => (await window.rows()).length > 5)
    await window.picture('tool-list')
    const { selection: before } = await probe('state')
    await window.type('create_entities')
    await window.choose('create_entities')
    const { selection } = await until('it is loaded', async () => {
      const now = await probe('state')
      return now.selection.attached.length > before.attached.length && now
    })
    assert.ok(selection.attached.includes('mcp--memory--create_entities'))
    await window.clickStatus()
    await window.type('create_')
    await until('it stands with those that were loaded', async () =>
      (await window.rows()).some((row) => /create_entities.*loaded, since turn 1/s.test(row)),
    )
    await window.picture('tool-list-loaded')
    await window.press('Escape')
  })
}
