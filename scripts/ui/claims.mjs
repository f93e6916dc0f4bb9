// What the page promises, each tried in a real browser.

import assert from 'node:assert/strict'
import fs from 'node:fs'
import { createRequire } from 'node:module'

import { go, openStage, PLACES, visit, work } from './stage.mjs'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const WIDTHS = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } }
const TABS = 60
/** Stops of the Tab key from the top of the page to what fails. */
const FAULT_STOPS = 5

/** @typedef {import('playwright-core').Page} Page */

/** What axe finds. The page runs no foreign script, so it comes over the browser's own door. @param {Page} page */
async function faults(page, where) {
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }))
  return violations.map(({ id, nodes }) => `${where}: ${id}: ${nodes.map(({ target }) => target).join(' | ')}`)
}

/** A place with what it has opened. @param {Page} page */
async function fill(page, place) {
  await go(page, place)
  if (place === 'Search') {
    await page.getByRole('searchbox').fill('find the open issues of a project')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Attached, in this order' }).waitFor()
  } else await page.getByRole('main').locator('table, .change, .sum').first().waitFor()
  const opener = page.locator('main button.opener').first()
  if ((await opener.count()) > 0 && (await opener.getAttribute('aria-expanded')) === 'false') await opener.click()
  await page.locator('main [aria-expanded="true"], main').first().waitFor()
}

/** Opens the one tool of the catalogue that a filter leaves. @param {Page} page @param {string} tool */
async function openTool(page, tool) {
  await page.getByLabel('Filter').fill(tool)
  await page.getByText(/^1 of/).waitFor()
  await page.getByRole('button', { name: tool }).click()
}

/** Tabs on until something has the focus. @param {Page} page @param {string} name */
async function tabTo(page, name, most = TABS) {
  for (let at = 0; at < most; at++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => {
      const { activeElement: element } = document
      return element?.getAttribute('aria-label') ?? element?.labels?.[0]?.textContent ?? element?.textContent ?? ''
    })
    if (focused.replaceAll(/\s+/g, ' ').trim().startsWith(name)) return
  }
  assert.fail(`the Tab key does not reach ${name}`)
}

/** A claim that is tried on the open page, on which nothing must go wrong. */
const onPage =
  (hold) =>
  async ({ browser, stage }) => {
    const context = await browser.newContext()
    const { page, wrong } = await visit(context, stage.endpoint)
    await hold({ page, stage })
    assert.deepEqual(wrong, [])
    await context.close()
  }

export const CLAIMS = {
  async 'the printed address opens the page once, and its ticket stays nowhere'({ browser, stage }) {
    const context = await browser.newContext()
    const { page, wrong } = await visit(context, stage.endpoint)
    assert.equal(new URL(page.url()).hash, '')
    assert.equal(await page.evaluate(() => document.cookie), '')
    await page.reload()
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByLabel('Bearer token').fill('x'.repeat(40))
    await page.keyboard.press('Enter')
    await page.getByText('this token is not known here').waitFor()
    await page.getByLabel('Bearer token').fill(stage.endpoint.token)
    await page.keyboard.press('Enter')
    await page.getByText('live', { exact: true }).waitFor()
    assert.deepEqual(
      wrong.filter((text) => !text.includes('401')),
      [],
    )
    await context.close()
  },

  async 'axe finds nothing, in light and dark, at 1,280 and 360 pixels, with rows open; nothing is wider than the window'({
    browser,
    stage,
  }) {
    const found = []
    for (const colorScheme of ['light', 'dark'])
      for (const [size, viewport] of Object.entries(WIDTHS)) {
        // axe is put in from outside, which the policy of the page would refuse.
        const context = await browser.newContext({ colorScheme, viewport, bypassCSP: true })
        await context.addInitScript({ path: AXE })
        const { page } = await visit(context, stage.endpoint)
        for (const place of PLACES) {
          await fill(page, place)
          found.push(...(await faults(page, `${place}, ${colorScheme}, ${size}`)))
          const wide = await page.evaluate(() => document.scrollingElement.scrollWidth)
          if (wide > viewport.width) found.push(`${place}, ${size}: ${wide} pixels wide`)
        }
        await page.getByRole('button', { name: 'Leave' }).click()
        await page.getByLabel('Bearer token').waitFor()
        found.push(...(await faults(page, `coming in, ${colorScheme}, ${size}`)))
        await context.close()
      }
    assert.deepEqual(found, [])
  },

  'what fails is within five stops of the keyboard, from any place': onPage(async ({ page }) => {
    for (const place of ['Servers', 'Calls']) {
      await go(page, place)
      // While it is being started again it has not failed.
      await page.getByRole('link', { name: '1 failed; go to analytics' }).waitFor()
      await page.evaluate(() => document.querySelector('.skip').focus())
      await tabTo(page, '1 failed; go to analytics', FAULT_STOPS - 1)
      await page.keyboard.press('Enter')
      await page.waitForFunction(() => document.activeElement?.textContent === 'analytics')
    }
  }),

  'all is reached and done by keys alone: a place, a filter, a tool, a restart, an approval': onPage(
    async ({ page }) => {
      await tabTo(page, 'Skip to Servers')
      await tabTo(page, 'Catalogue')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Catalogue', level: 1 }).waitFor()
      await page.waitForFunction(() => document.activeElement?.tagName === 'H1')
      await tabTo(page, 'Tokens')
      await page.keyboard.press('Enter')
      const tokens = page.getByRole('columnheader', { name: 'Tokens' })
      await page.waitForFunction(() => document.querySelector('[aria-sort="descending"]') !== null)
      assert.equal(await tokens.getAttribute('aria-sort'), 'descending')
      await page.locator('h1').focus()
      await tabTo(page, 'Filter')
      await page.keyboard.type('add_comment')
      await page.getByText(/^1 of/).waitFor()
      await tabTo(page, 'add_comment')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Arguments' }).waitFor()
      await page.keyboard.press('Space')
      await page.getByRole('heading', { name: 'Arguments' }).waitFor({ state: 'detached' })
      await go(page, 'Servers')
      await tabTo(page, 'Restart wiki')
      await page.keyboard.press('Enter')
      await page.getByRole('status').getByText('wiki is being started again').waitFor()
      await go(page, 'Approvals')
      await page.getByRole('heading', { name: 'send_invoice' }).waitFor()
      await tabTo(page, 'Approve send_invoice of billing')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'send_invoice' }).waitFor({ state: 'detached' })
      // In its text the shield finds something: it waits from the first list on.
      await page.getByRole('heading', { name: 'summarise' }).waitFor()
    },
  ),

  'a tool and a server are switched off and on by keys, and stay so in the file': onPage(async ({ page, stage }) => {
    await go(page, 'Catalogue')
    await openTool(page, 'add_comment')
    await tabTo(page, 'Switch off add_comment')
    await page.keyboard.press('Enter')
    await page.getByText('Off: the configuration switches it off.').waitFor()
    await tabTo(page, 'Switch on add_comment')
    await page.keyboard.press('Enter')
    await page.getByText('Off: the configuration switches it off.').waitFor({ state: 'detached' })
    await go(page, 'Servers')
    await page.getByRole('button', { name: 'wiki', exact: true }).click()
    await tabTo(page, 'Switch off wiki')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Switched off' }).waitFor()
    assert.equal(JSON.parse(fs.readFileSync(stage.configFile, 'utf8')).mcpServers.wiki.disabled, true)
    await tabTo(page, 'Switch wiki on')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Switched off' }).waitFor({ state: 'detached' })
    assert.equal(JSON.parse(fs.readFileSync(stage.configFile, 'utf8')).mcpServers.wiki.disabled, undefined)
  }),

  'a tool is tried by a form of its schema, by keys alone, and what may destroy is called only by who says so': onPage(
    async ({ page, stage }) => {
      await go(page, 'Catalogue')
      await openTool(page, 'add_comment')
      await page.getByLabel('number').fill('7')
      await page.getByLabel('body').fill('fixed <b>now</b>')
      await page.keyboard.press('Enter')
      await page.getByText('Answer:').waitFor()
      const rows = () => stage.gateway.activity.calls.filter(({ client }) => client === 'page')
      const called = () => rows().map(({ tool, outcome }) => [tool, outcome])
      assert.deepEqual(called(), [['add_comment', 'ok']])
      await openTool(page, 'delete_branch')
      await tabTo(page, 'Call delete_branch')
      await page.keyboard.press('Enter')
      await page.getByText('It may destroy something; call it').waitFor()
      assert.deepEqual(called(), [['add_comment', 'ok']])
    },
  ),

  'what happens is seen without a reload: a client, what it loads and calls, a server that fails': onPage(
    async ({ page, stage }) => {
      await go(page, 'Sessions')
      const client = await stage.connect('newcomer', '3.0.0')
      const row = page.getByRole('row', { name: /newcomer 3\.0\.0/ })
      await row.waitFor()
      await row.getByRole('button').click()
      await page.getByText('Nothing is attached.').waitFor()
      await client.callTool({ name: 'mcp_load', arguments: { query: 'run an SQL query' } })
      await page.getByText('the model, by mcp_load').first().waitFor()
      await go(page, 'Calls')
      await client.callTool({ name: 'mcp--warehouse--run_query', arguments: { sql: 'select 2' } })
      await page.getByRole('row', { name: /run_query.*newcomer/ }).waitFor()
      await go(page, 'Servers')
      await page
        .getByRole('row', { name: /analytics/ })
        .getByText('failed')
        .first()
        .waitFor()
    },
  ),

  async 'the audit shows who called what, over all gateways, and finds it by words'({ browser, stage }) {
    const context = await browser.newContext()
    await context.addInitScript({ path: AXE })
    const { page, wrong } = await visit(context, stage.endpoint)
    const client = await stage.connect('auditor', '1.0.0')
    await client.callTool({ name: 'call_tool_read', arguments: { name: 'mcp--warehouse--nobody_has_this' } })
    await go(page, 'Calls')
    await page.getByRole('combobox', { name: /^Calls/ }).selectOption('audit')
    const row = page.getByRole('row', { name: /nobody_has_this.*refused.*auditor/ })
    await row.first().waitFor()
    await page.getByRole('searchbox').fill('no such word')
    await page.getByText('The audit has no such call.').waitFor()
    await page.getByRole('searchbox').fill('nobody_has')
    await row.first().waitFor()
    assert.deepEqual(await faults(page, 'Calls, audit'), [])
    assert.deepEqual(wrong, [])
    await context.close()
  },

  async 'a login is made and the file is read again, by keys alone'({ browser, stage }) {
    const context = await browser.newContext()
    const { page, wrong } = await visit(context, stage.endpoint)
    const row = page.getByRole('row', { name: /^crm/ })
    await tabTo(page, 'Log in to crm')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Open the login page of crm' }).waitFor()
    const opens = context.waitForEvent('page')
    await tabTo(page, 'Open the login page of crm')
    await page.keyboard.press('Enter')
    await (await opens).getByText('You can close this page').waitFor()
    await row.getByText('ready').waitFor()
    const read = async (change) => {
      const config = JSON.parse(fs.readFileSync(stage.configFile, 'utf8'))
      change(config.mcpServers)
      fs.writeFileSync(stage.configFile, JSON.stringify(config, undefined, 2))
      await page.bringToFront()
      await page.getByRole('navigation').getByRole('link', { name: 'Servers' }).focus()
      await tabTo(page, 'Read configuration again')
      await page.keyboard.press('Enter')
    }
    let crm
    await read((servers) => {
      crm = servers.crm
      delete servers.crm
    })
    await row.waitFor({ state: 'detached' })
    await read((servers) => Object.assign(servers, { crm }))
    await row.getByText('ready').waitFor()
    assert.deepEqual(
      wrong.filter((text) => !text.includes('/authorize')),
      [],
    )
    await context.close()
  },

  async 'by a token of the organisation a person sees own servers and own calls, and nothing that changes what others share'({
    browser,
    stage,
  }) {
    for (const colorScheme of ['light', 'dark'])
      for (const viewport of Object.values(WIDTHS)) {
        const context = await browser.newContext({ colorScheme, viewport, bypassCSP: true })
        await context.addInitScript({ path: AXE })
        const page = await context.newPage()
        await page.goto(new URL('/ui/', stage.endpoint.url).href)
        await page.getByRole('heading', { name: 'Tool router' }).waitFor()
        assert.equal(await page.getByText('has not sent the script').count(), 0)
        await page.getByLabel('Bearer token').fill(await stage.tokenOf('mia'))
        await page.keyboard.press('Enter')
        await page.getByRole('row', { name: /^tracker/ }).waitFor()
        await page.getByRole('row', { name: /^wiki/ }).waitFor()
        assert.equal(await page.getByRole('row', { name: /^billing/ }).count(), 0)
        assert.equal(await page.getByRole('link', { name: 'Sessions' }).count(), 0)
        assert.equal(await page.getByRole('button', { name: /^(Restart|Start|Log in|Switch|Read)/ }).count(), 0)
        await go(page, 'Catalogue')
        await openTool(page, 'add_comment')
        await page.getByLabel('number').fill('8')
        await page.getByLabel('body').fill('seen')
        await page.keyboard.press('Enter')
        await page.getByText('Answer:').waitFor()
        await go(page, 'Calls')
        await page
          .getByRole('row', { name: /add_comment/ })
          .first()
          .waitFor()
        assert.equal(await page.getByRole('row', { name: /run_query|list_issues/ }).count(), 0)
        for (const place of PLACES.filter((each) => each !== 'Sessions')) {
          await go(page, place)
          assert.deepEqual(await faults(page, `${place}, ${colorScheme}, ${viewport.width}`), [])
          const width = await page.evaluate(() => document.documentElement.scrollWidth)
          assert.ok(width <= viewport.width, `${place} is ${width} wide`)
        }
        await context.close()
      }
  },

  'texts of servers are texts, secrets are hidden, and nothing but the gateway is asked': onPage(async ({ page }) => {
    for (const place of PLACES) {
      await fill(page, place)
      assert.equal((await page.content()).includes('a1Secret7'), false, place)
    }
    await go(page, 'Catalogue')
    await page.getByRole('button', { name: /save_clip/ }).click()
    await page.locator('pre.prose', { hasText: '<img src=x onerror=' }).waitFor()
    assert.equal(await page.locator('main img').count(), 0)
    assert.match(await page.title(), /Catalogue/)
  }),

  async 'a page without motion has none, and one profile is shown alone'({ browser, stage }) {
    const context = await browser.newContext({ reducedMotion: 'reduce' })
    const { page } = await visit(context, stage.endpoint)
    const moves = await page
      .locator('.arrow')
      .first()
      .evaluate((arrow) => getComputedStyle(arrow).transitionDuration)
    assert.equal(moves, '0s')
    await page.getByLabel('Profile').selectOption('support')
    await page.getByText('of profile support').waitFor()
    await page.getByRole('row', { name: /tracker/ }).waitFor()
    assert.equal(await page.getByRole('row', { name: /billing/ }).count(), 0)
    await context.close()
  },
}

/** What the claims are tried on. */
export async function prepare() {
  const stage = await openStage({})
  await work(stage)
  stage.change()
  return stage
}
