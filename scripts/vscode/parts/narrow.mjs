// A side bar as narrow as the editor lets one draw it.

import assert from 'node:assert/strict'

const WIDTH = 175
/** Names that leave room for the tokens. */
const LONG = 8

export async function narrow({ window, probe, page, claim, until }) {
  await claim(
    `in a side bar of ${WIDTH} pixels the title and names are whole, and the tokens behind most`,
    async () => {
      await probe('command', { name: 'toolRouter.scope.focus' })
      await window.resize(WIDTH)
      await page.mouse.move(900, 300)
      const isNarrow = async () => Math.abs((await page.locator('.part.sidebar').boundingBox()).width - WIDTH) < 8
      await until('it is narrow', isNarrow)
      const seen = await until('all servers have their tokens', async () => {
        const now = await window.seen()
        return now.rows.length > 0 && now.rows.every(({ first }) => /[1-9]/.test(first.text)) && now
      })
      await window.picture('narrow')
      const cut = ({ isWhole }) => !isWhole
      assert.deepEqual([seen.title, ...seen.rows.map(({ name }) => name)].filter(cut), [])
      const short = seen.rows.filter(({ name }) => name.text.length <= LONG)
      assert.deepEqual(short.map(({ first }) => first).filter(cut), [])
      await window.resize(300)
      return short.map(({ name, first }) => `${name.text} ${first.text}`).join(', ')
    },
  )
}
