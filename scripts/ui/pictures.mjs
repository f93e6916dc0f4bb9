// Pictures of the page for docs/gateway-page.md, in both themes.

import path from 'node:path'

import { go, openStage, visit, work } from './stage.mjs'

const SIZE = { width: 1100, height: 700 }
const NARROW = { width: 360, height: 640 }

/** Each picture: its place, and what is done there first. */
const PICTURES = {
  servers: async (page) => {
    await go(page, 'Servers')
    await page.getByRole('button', { name: 'analytics', exact: true }).click()
    await page.getByRole('heading', { name: 'Last lines' }).waitFor()
  },
  catalogue: async (page) => {
    await go(page, 'Catalogue')
    await page.getByLabel('Show').selectOption('findings')
    await page.getByText(/^1 of/).waitFor()
    await page.getByRole('button', { name: /summarise/ }).click()
    await page.getByRole('heading', { name: 'What the shield found' }).waitFor()
  },
  search: async (page) => {
    await go(page, 'Search')
    await page.getByRole('searchbox').fill('reply to a bug report')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Attached, in this order' }).waitFor()
    await page.locator('.ranking button').first().click()
  },
  sessions: async (page) => {
    await go(page, 'Sessions')
    await page.getByRole('button', { name: /editor/ }).click()
  },
  approvals: async (page) => {
    await go(page, 'Approvals')
    await page.getByRole('heading', { name: 'send_invoice' }).waitFor()
  },
}

export async function takePictures(browser, folder, say) {
  const stage = await openStage({ model: true })
  try {
    await work(stage)
    stage.change()
    for (const colorScheme of ['light', 'dark']) {
      const context = await browser.newContext({ colorScheme, viewport: SIZE })
      const { page } = await visit(context, stage.endpoint)
      const take = async (name) => {
        // No pointer on a row, no outline on a title.
        await page.mouse.move(0, 0)
        await page.waitForTimeout(600)
        await page.screenshot({ path: path.join(folder, `page-${name}-${colorScheme}.png`) })
        say(`page-${name}-${colorScheme}.png`)
      }
      for (const [name, prepare] of Object.entries(PICTURES)) {
        await prepare(page)
        await take(name)
      }
      await page.setViewportSize(NARROW)
      await PICTURES.search(page)
      await take('narrow')
      await context.close()
    }
  } finally {
    await stage.close()
  }
}
