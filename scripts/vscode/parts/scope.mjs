// The scope view: tools and servers on and off, by mode, always loaded, in other words.

import assert from 'node:assert/strict'

export async function scope({ window, probe, page, workspace, claim, until }) {
  const row = (text) => window.row(text)
  const definitions = async () => (await probe('state')).definitions

  if ((await probe('state')).selection === null) await probe('start', { text: 'list the merge requests' })

  await claim('the view lists the servers, and a server its tools', async () => {
    await probe('command', { name: 'workbench.view.extension.toolRouter' })
    await row('filesystem').waitFor()
    // A row with a check box opens by its arrow alone, so that a click does not switch by accident.
    await window.expand('memory', 'create_entities')
    await window.picture('scope')
  })

  await claim('unchecking a tool takes it away from the running task, checking it brings it back', async () => {
    await probe('load', { query: 'mcp--memory--create_entities' })
    assert.ok((await definitions()).includes('mcp--memory--create_entities'))
    const isThere = async () => (await definitions()).includes('mcp--memory--create_entities')
    await window.check('create_entities', false, async () => !(await isThere()))
    assert.deepEqual(workspace.settings()['toolRouter.servers'], { memory: { disabledTools: ['create_entities'] } })
    await window.picture('scope-unchecked')
    await window.check('create_entities', true, isThere)
  })

  await claim(
    'Space switches the row that has the focus, Enter shows it, and a screen reader hears its name and state',
    async () => {
      const isOn = async (name) => (await definitionsOf('memory')).includes(name)
      const definitionsOf = async (server) => (await probe('listed', { server })).map(({ toolName }) => toolName)
      await row('create_relations').locator('.monaco-icon-label').click()
      await window.press('ArrowDown')
      await window.press('Space')
      await until('the next one is off', async () => !(await isOn('add_observations')))
      assert.ok(await isOn('create_relations'), 'the row that was left is as before')
      const spoken = await until('it is heard', async () => {
        const label = await row('add_observations').getAttribute('aria-label')
        return /^add_observations, tool, off/.test(label) && label
      })
      assert.equal(await row('add_observations').locator('[role=checkbox]').getAttribute('aria-checked'), 'false')
      await window.press('Space')
      await until('it is on again', () => isOn('add_observations'))
      const text = async () =>
        (await page.locator('.editor-instance').allTextContents()).join('').replaceAll('\u00a0', ' ')
      const isShown = async () => (await text()).includes('add_observations of memory: on')
      await window.insist('it is shown', () => window.press('Enter'), isShown)
      await probe('command', { name: 'workbench.action.closeAllEditors' })
      return spoken
    },
  )

  await claim('an override is what models read; both descriptions stand side by side', async () => {
    await window.act('read_graph', 'Override Description', () => window.isAsked())
    await window.type('Reads everything that was noted.')
    await window.press('Enter')
    await until('the view says so', async () => (await row('read_graph').textContent()).includes('overridden'))
    await window.act('read_graph', 'Compare', () => page.locator('.monaco-diff-editor').isVisible())
    await until('both are shown', async () => {
      const text = (await page.locator('.monaco-diff-editor').textContent()).replaceAll('\u00a0', ' ')
      return text.includes('Read the entire knowledge graph') && text.includes('Reads everything that was noted')
    })
    await window.picture('override-compared')
    await probe('command', { name: 'workbench.action.closeAllEditors' })
  })

  await claim('a mode takes its servers from the running task, and the view says so', async () => {
    const own = workspace.settings()
    workspace.writeSettings({
      ...own,
      'toolRouter.modes': { docs: { allowedMcpServers: ['memory', 'filesystem'] } },
      'toolRouter.mode': 'docs',
      'toolRouter.threshold': 5,
    })
    // Sent whole or by name: those of other servers.
    const others = async () => {
      const { definitions: whole, selection } = await probe('state')
      const isOther = (name) => name.startsWith('mcp--') && !/^mcp--(memory|filesystem)--/.test(name)
      return [...whole, ...selection.directory].filter(isOther).length
    }
    await until('only those are left', async () => (await others()) === 0)
    await until('the view says so', async () => (await row('gitlab').textContent()).includes('not in mode docs'))
    await window.picture('mode')
    workspace.writeSettings({})
    await until('the others are back', async () => (await others()) > 0)
  })
}
