// A code-server with a workspace, a browser window on it, and words for what a person does there.

import { spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

import { signalTree } from '../../packages/gateway/base/processes.mjs'

const START_MS = 120_000
/**
 * How long a host waits for a window that has gone without a word, instead of three hours: a page that unloads on a busy
 * machine does not always get to tell its host to end.
 */
const GRACE_S = 15
/** A window with nothing in it that is not looked at. */
const USER_SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.colorTheme': 'Default Dark Modern',
}
/** Most of what is tried is tried with servers of files. */
const OF_FILES = { 'toolRouter.source': 'files' }

export async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** What nothing takes, on the busiest machine: a claim that waits this long fails. */
const LONG_MS = 240_000

/** Waits until a question has an answer that is neither false nor an error. */
export async function until(what, ask, timeoutMs = LONG_MS) {
  const end = Date.now() + timeoutMs
  let last
  for (;;) {
    try {
      const answer = await ask()
      if (answer) return answer
    } catch (error) {
      last = error
    }
    if (Date.now() > end) throw new Error(`not in ${timeoutMs / 1000} s: ${what}${last ? ` (${last.message})` : ''}`)
    await sleep(200)
  }
}

/**
 * Starts code-server with its extensions installed; everything that it writes is in `folder`.
 *
 * @param {{ folder: string, vsix: string[], workspace: string, probePort?: number, settings?: object }} given
 */
export async function startHost(host, { folder, vsix, workspace, probePort, settings = OF_FILES }) {
  const home = path.join(folder, 'home')
  const config = path.join(folder, 'config.yaml')
  fs.mkdirSync(home, { recursive: true })
  fs.writeFileSync(config, 'auth: none\n')
  const user = path.join(folder, 'data', 'User')
  fs.mkdirSync(user, { recursive: true })
  fs.writeFileSync(path.join(user, 'settings.json'), JSON.stringify({ ...USER_SETTINGS, ...settings }))
  const common = [
    '--config',
    config,
    '--user-data-dir',
    path.join(folder, 'data'),
    '--extensions-dir',
    path.join(folder, 'extensions'),
  ]
  const env = {
    ...host.env,
    HOME: home,
    XDG_CACHE_HOME: path.join(home, '.cache'),
    TOOL_ROUTER_PROBE_PORT: String(probePort ?? ''),
  }
  const program = host.bin('code-server')
  for (const file of vsix) {
    const child = spawn(program, [...common, '--install-extension', file], { env, stdio: 'pipe' })
    let said = ''
    child.stdout.on('data', (chunk) => (said += chunk))
    child.stderr.on('data', (chunk) => (said += chunk))
    const code = await new Promise((resolve) => child.once('exit', resolve))
    if (code !== 0) throw new Error(`${path.basename(file)} was not installed: ${said}`)
  }
  const port = await freePort()
  const flags = [
    '--auth',
    'none',
    '--disable-telemetry',
    '--disable-update-check',
    '--disable-workspace-trust',
    '--disable-getting-started-override',
    '--reconnection-grace-time',
    String(GRACE_S),
  ]
  const log = fs.openSync(path.join(folder, 'code-server.log'), 'w')
  const args = [...common, ...flags, '--bind-addr', `127.0.0.1:${port}`, workspace]
  const child = spawn(program, args, { env, stdio: ['ignore', log, log], detached: true })
  const close = () => signalTree(child.pid, 'SIGTERM')
  process.once('exit', close)
  const urlOf = (opened) => `http://127.0.0.1:${port}/?folder=${encodeURIComponent(opened)}`
  await until('code-server answers', async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok, START_MS)
  return { url: urlOf(workspace), urlOf, close }
}

/** Asks the probe that runs in the extension host. */
export async function ask(port, op, args = {}) {
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: JSON.stringify({ op, ...args }) })
  const { answer, error } = await response.json()
  if (error) throw new Error(`${op}: ${error}`)
  return answer
}

/** What a person does in the window. */
export class Window {
  /** @param {Window} [first] whose pictures are counted on */
  constructor(page, pictures, first) {
    this.page = page
    this.pictures = pictures
    this.counter = first?.counter ?? { count: 0 }
  }

  async open(url) {
    await this.page.goto(url, { timeout: START_MS, waitUntil: 'domcontentloaded' })
    await this.page.locator('.monaco-workbench .statusbar').waitFor({ timeout: START_MS })
  }

  /**
   * Reloads as a person does. A page that the browser reloads by itself may go before it has told the host to end, and then
   * the host waits for it for hours.
   */
  async reload(probe) {
    await this.page.evaluate(() => {
      globalThis.isBeforeReload = true
    })
    const isOther = () => this.page.evaluate(() => globalThis.isBeforeReload === undefined)
    await probe('command', { name: 'workbench.action.reloadWindow' })
    await until('the window is another one', isOther, START_MS)
    await this.page.locator('.monaco-workbench .statusbar').waitFor({ timeout: START_MS })
  }

  /** The text of the status bar item, or nothing where it is hidden. */
  async status() {
    const item = this.page.locator('[id="zoo-code-examples.mcp-tool-router.toolRouter.status"]:visible')
    return (await item.allTextContents())[0]?.trim()
  }

  async hoverStatus() {
    await this.page.locator('[id="zoo-code-examples.mcp-tool-router.toolRouter.status"]').hover()
    const hover = this.page.locator('.monaco-hover').last()
    await hover.waitFor()
    return await hover.textContent()
  }

  async clickStatus() {
    await this.page.locator('[id="zoo-code-examples.mcp-tool-router.toolRouter.status"] a').click()
  }

  async command(name) {
    const input = this.page.locator('.quick-input-widget input').first()
    const open = async () => {
      await this.page.keyboard.press('Escape') // another list may be open
      await this.page.keyboard.press('F1')
    }
    const isOpen = async () => (await input.isVisible()) && (await input.inputValue({ timeout: 1_000 })).startsWith('>')
    await this.insist('the commands are open', open, isOpen)
    await input.fill(`>${name}`, { timeout: 5_000 })
    const found = async () => (await this.rows())[0]?.includes(name)
    await until(`the command ${name}`, found)
    await this.page.keyboard.press('Enter')
  }

  async type(text) {
    const input = this.page.locator('.quick-input-widget input').first()
    await input.waitFor()
    await input.fill(text)
  }

  /** The rows of the open list that are on the screen. */
  rows() {
    return this.page.locator('.quick-input-list .monaco-list-row').allInnerTexts()
  }

  /** Chooses the row with this text in the open list. */
  async choose(text) {
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first()
    await until(`${text} is chosen`, async () => {
      await row.waitFor({ timeout: 5_000 })
      await sleep(500) // the list still moves while it is filtered
      await row.click({ timeout: 2_000 })
      return true
    })
  }

  /**
   * Does something until it has its effect: while the window draws itself again, a click can go nowhere. What is done must do
   * no harm when it is done once more.
   */
  async insist(what, act, isDone, patienceMs = 5_000) {
    await until(
      what,
      async () => {
        if (await isDone().catch(() => false)) return true
        await act()
        const end = Date.now() + patienceMs
        while (Date.now() < end) {
          if (await isDone().catch(() => false)) return true
          await sleep(150)
        }
        return false
      },
      90_000,
    )
  }

  row(text) {
    return this.page.locator('.pane-body .monaco-list-row', { hasText: text }).first()
  }

  /** Opens a row of the view. */
  async expand(text, inner) {
    const act = () => this.row(text).locator('.monaco-tl-twistie').click({ timeout: 5_000 })
    await this.insist(`${text} is open`, act, () => this.row(inner).isVisible())
  }

  /** Switches the check box of a row. A click that the window lost shows as a box that stands as before. */
  async check(text, isOn, isDone) {
    const box = () => this.row(text).locator('[role=checkbox]').first()
    const act = async () => {
      await this.page.mouse.move(900, 300) // a hover of earlier would be in the way
      const now = await box().getAttribute('aria-checked', { timeout: 5_000 })
      if (now !== String(isOn)) await box().click({ timeout: 5_000 })
    }
    await this.insist(`${text} is ${isOn ? 'on' : 'off'}`, act, isDone, 10_000)
  }

  /** Chooses what the menu of a row has, until it has done it. */
  async act(text, label, isDone) {
    const act = async () => {
      await this.page.keyboard.press('Escape')
      await this.page.mouse.move(900, 300)
      await this.chooseInMenu(text, label)
    }
    await this.insist(`${label} of ${text}`, act, isDone, 10_000)
  }

  /** Chooses what the menu of a row has, once: a menu that has just opened takes no click, and closes with the one it takes. */
  async chooseInMenu(text, label) {
    const entry = this.page.locator('.context-view .action-label', { hasText: label }).first()
    await this.row(text).locator('.monaco-icon-label').click({ button: 'right', timeout: 5_000 })
    await until(`${label} of ${text} is chosen`, async () => {
      if (await entry.isVisible()) await entry.click({ timeout: 2_000 })
      await entry.waitFor({ state: 'hidden', timeout: 2_000 })
      return true
    })
  }

  /** Draws the side bar to a width. */
  async resize(width) {
    const { x, y, width: before, height } = await this.page.locator('.part.sidebar').boundingBox()
    await this.page.mouse.move(x + before + 1, y + height / 2)
    await this.page.mouse.down()
    await this.page.mouse.move(x + width + 1, y + height / 2, { steps: 5 })
    await this.page.mouse.up()
  }

  /** Of the title and of each row what is seen whole: a name, and the first word behind it. */
  seen() {
    return this.page.locator('.part.sidebar').evaluate((bar) => {
      const dots = 10 // as wide as what shows that something is cut
      const look = (box, element, length) => {
        const text = element && document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()
        if (!text) return { text: '', isWhole: true }
        const range = document.createRange()
        range.setStart(text, 0)
        range.setEnd(text, length < 0 ? text.length : length)
        const end = box.getBoundingClientRect().right - (box.scrollWidth > box.clientWidth ? dots : 0)
        return { text: range.toString(), isWhole: range.getBoundingClientRect().right <= end }
      }
      const rows = [...bar.querySelectorAll('.pane-body .monaco-list-row .monaco-icon-label-container')]
      const title = bar.querySelector('.title-label')
      return {
        title: look(title, title.querySelector('h2'), -1),
        rows: rows.map((box) => {
          const more = box.querySelector('.label-description')
          const first = look(box, more, more?.textContent.indexOf(' ') ?? -1)
          return { name: look(box, box.querySelector('.label-name'), -1), first }
        }),
      }
    })
  }

  isAsked() {
    return this.page.locator('.quick-input-widget input').first().isVisible()
  }

  /** Presses the button of a dialog of the editor that has one of these texts. */
  async answerDialog(buttons) {
    const dialog = this.page.locator('.monaco-dialog-box')
    await dialog.locator('.monaco-button', { hasText: buttons }).first().click({ timeout: 30_000 })
    await dialog.waitFor({ state: 'hidden' })
  }

  press(key) {
    return this.page.keyboard.press(key)
  }

  /** Opens the view by its icon, as a person does who has never opened it. */
  async openView() {
    await this.page.locator('.activitybar .action-label[aria-label^="MCP Tools"]').first().click()
  }

  /** Presses an icon of a row, once: it is there while the mouse is over the row, and rows above can come and go. */
  pressIcon(text, label) {
    const icon = this.row(text).locator(`.action-label[aria-label^="${label}"]`).first()
    const dialog = this.page.locator('.monaco-dialog-modal-block')
    return until(`${label} of ${text} is pressed`, async () => {
      if (await dialog.isVisible()) return true // it was pressed, and the answer came late
      await this.page.mouse.move(900, 300)
      await this.row(text).hover({ timeout: 5_000 })
      await icon.click({ timeout: 1_000 })
      return true
    })
  }

  /** What the editor tells in its corner. */
  async told() {
    return (await this.page.locator('.notifications-toasts .notification-list-item-message').allTextContents()).join(
      '\n',
    )
  }

  async picture(name) {
    await sleep(700) // what fades in has done so
    const file = path.join(this.pictures, `${String(++this.counter.count).padStart(2, '0')}-${name}.png`)
    await this.page.screenshot({ path: file })
    return file
  }
}
