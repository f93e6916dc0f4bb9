// A task with the editor's language model, and the setting that says how tools reach it.

import assert from 'node:assert/strict'

const WANTED = 'mcp--everything--get-sum'

export async function ask({ window, probe, page, workspace, claim, until }) {
  const asked = async (text) => {
    await probe('asked') // what was asked before is forgotten
    await window.command("MCP Tool Router: Ask the Editor's Language Model")
    const title = page.locator('.quick-input-title')
    await until('something is asked for', async () =>
      /language model|Ask Probe/.test((await title.textContent()) ?? ''),
    )
    if (/Which language model/.test((await title.textContent()) ?? '')) await window.choose('Probe')
    await until('the question is asked for', async () => /Ask Probe/.test((await title.textContent()) ?? ''))
    await window.type(text)
    await window.press('Enter')
    const dialog = page.locator('.monaco-dialog-box')
    const answer = async () => {
      // The editor asks once whether the extension may use the model, the extension before each call.
      if (await dialog.isVisible()) {
        if (/get-sum/.test(await dialog.textContent())) await window.picture('asked-before-the-model-calls')
        await window.answerDialog(/^(Call|Allow|Yes|OK)/)
      }
      const said = (await page.locator('.editor-instance').allTextContents()).join('').replaceAll('\u00a0', ' ')
      return said.includes(text) && /It answered: .*42/.test(said)
    }
    await until('the answer is open', answer)
    const requests = await probe('asked')
    await window.picture('answer')
    await probe('command', { name: 'workbench.action.closeAllEditors' })
    return requests
  }

  await claim('with append the model loads a tool and calls it, and the list of tools grows at its end', async () => {
    workspace.writeSettings({ 'toolRouter.delivery': 'append' })
    await until('it is set', async () => (await probe('state')).settings.delivery === 'append')
    const requests = await asked('comment on the open merge requests of the web project')
    const [first, second, third] = requests.map(({ names }) => names)
    assert.equal(requests.length, 3)
    assert.ok(first.includes('mcp_load') && !first.includes(WANTED))
    assert.deepEqual(second, [...first, WANTED])
    assert.deepEqual(third, second)
    return `${first.length} tools, then ${second.length}`
  })

  await claim('by default the running task goes on with two tools, whose bytes never change', async () => {
    workspace.writeSettings({})
    await until('it is set', async () => (await probe('state')).settings.delivery === 'call')
    const before = (await probe('state')).selection.attached
    const requests = await asked('and now add them again')
    assert.deepEqual(requests[0].names, ['mcp_load', 'mcp_call'])
    assert.equal(new Set(requests.map(({ definitions }) => definitions)).size, 1)
    assert.ok(requests[0].messageCount > 4, 'the conversation goes on')
    const after = (await probe('state')).selection.attached
    assert.deepEqual(after.slice(0, before.length), before, 'so does the task')
    return `${requests[0].messageCount} messages`
  })
}
