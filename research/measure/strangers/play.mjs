// Plays the labelled lines of the strangers: tasks, searches of the model, work on code, servers that connect late. Each part
// gives one row of counts; `note(id, what)` hears of every line that falls short.

/** What a task is opened with where no task matters: nothing ranks for it. */
const NO_TASK = 'hello'
/** A message that says nothing new. */
const GO_ON = 'ok, go on'

/** Counts of parts and wholes, printed as "part of whole". */
class Tally {
  #counts = new Map()

  add(name, part, whole = 1) {
    const [parts, wholes] = this.#counts.get(name) ?? [0, 0]
    this.#counts.set(name, [parts + Number(part), wholes + whole])
  }

  /** @returns {Record<string, [number, number]>} */
  get counts() {
    return Object.fromEntries(this.#counts)
  }
}

/**
 * @typedef {object} Stage what the parts play on
 * @property {object} router
 * @property {object[]} servers
 * @property {(tool: { serverName: string, toolName: string }) => string} idOf
 * @property {object} settings of every session
 * @property {() => Promise<void>} settled resolves when all tools have their vectors, or none are awaited
 * @property {(id: string, what: string) => void} note
 */

export const idsOf = (stage, session, names) => new Set(names.map((name) => stage.idOf(session.resolveTool(name))))
export const meets = (ids, need) => need.some((id) => ids.has(id))

/** Counts the needs of a text by their role, and whether all of them are met. */
function countNeeds(tally, ids, { needs, roles }) {
  const missing = needs.filter((need) => !meets(ids, need))
  for (const [at, need] of needs.entries()) tally.add(roles[at], meets(ids, need))
  return missing.map((need) => need[0])
}

/** First texts, and the later messages of the tasks that have some. */
export async function playTasks(stage, tasks) {
  const tally = new Tally()
  for (const task of tasks) {
    const session = stage.router.openSession({ settings: stage.settings })
    const first = await session.start(task.text)
    const missing = countNeeds(tally, idsOf(stage, session, first.attached), task)
    tally.add('complete', missing.length === 0)
    const seen = idsOf(stage, session, [...first.attached, ...first.directory])
    const unseen = task.needs.filter((need) => !meets(seen, need)).map((need) => need[0])
    tally.add('seen', unseen.length === 0)
    const { attached, mcpLoad, directory } = first.tokens
    tally.add('first tokens', attached + mcpLoad + directory)
    if (unseen.length > 0) stage.note(task.id, `not seen: ${unseen.join(', ')}`)
    tally.add('tools', first.attached.length)
    if (missing.length > 0) stage.note(task.id, `first text: without ${missing.join(', ')}`)
    const later = new Tally()
    for (const [at, step] of (task.steps ?? []).entries()) {
      const { attached } = await session.turn(step.text)
      const gone = countNeeds(later, idsOf(stage, session, attached), step)
      tally.add('later', gone.length === 0)
      if (gone.length > 0) stage.note(task.id, `message ${at + 1}: without ${gone.join(', ')}`)
    }
    for (const [met, all] of Object.values(later.counts)) tally.add('later needs', met, all)
    session.close()
  }
  return tally.counts
}

/** What a model writes to `mcp_load`, each as the first search of a task that says nothing. */
export async function playSearches(stage, searches) {
  const tally = new Tally()
  for (const { id, kind, query, needs } of searches) {
    const session = stage.router.openSession({ settings: stage.settings })
    await session.start(NO_TASK)
    const { loaded, alreadyAttached, nothingFits } = await session.load({ query })
    const names = [...loaded.map(({ name }) => name), ...alreadyAttached]
    const ids = idsOf(stage, session, names)
    if (needs.length === 0) {
      tally.add(`${kind} empty`, loaded.length === 0)
      if (loaded.length > 0) stage.note(id, `attached ${[...ids].slice(0, 3).join(', ')}`)
    } else {
      const served = needs.every((need) => meets(ids, need))
      tally.add(`${kind} served`, served)
      tally.add(`${kind} refused`, nothingFits !== undefined)
      if (!served) stage.note(id, nothingFits === undefined ? `found ${[...ids].join(', ')}` : 'refused')
    }
    session.close()
  }
  return tally.counts
}

/** First messages about code, which no tool of a server helps with. */
export async function playCode(stage, messages) {
  const tally = new Tally()
  for (const { id, text } of messages) {
    const session = stage.router.openSession({ settings: stage.settings })
    const { attached, tokens } = await session.start(text)
    tally.add('code attaches', attached.length > 0)
    tally.add('code tokens', tokens.attached)
    if (attached.length > 0) stage.note(id, `${attached.length} tools`)
    session.close()
  }
  return tally.counts
}

/** Tasks some of whose servers connect after the first text: with the next request, and after a message that says nothing. */
export async function playLate(stage, tasks) {
  const tally = new Tally()
  for (const task of tasks) {
    const complete = ({ attached }) => task.needs.every((need) => meets(idsOf(stage, session, attached), need))
    let session = stage.router.openSession({ settings: stage.settings })
    tally.add('late, all there', complete(await session.start(task.text)))
    session.close()
    const late = stage.servers.filter(({ name }) => task.late.includes(name))
    for (const { name } of late) await stage.router.removeServer(name)
    session = stage.router.openSession({ settings: stage.settings })
    await session.start(task.text)
    for (const server of late) await stage.router.setServer(server)
    await stage.settled()
    const next = complete(await session.sync())
    tally.add('late, next request', next)
    tally.add('late, "ok, go on"', complete(await session.turn(GO_ON)))
    if (!next) stage.note(task.id, `${task.late.join(', ')} came late`)
    session.close()
  }
  return tally.counts
}

/** The tasks of `playLate` where a mode that lacks some servers is switched to one that has them all. */
export async function playModes(stage, tasks) {
  const tally = new Tally()
  const allowed = (names) => ({ allowedMcpServers: names })
  for (const task of tasks) {
    const names = stage.servers.map(({ name }) => name)
    const plan = allowed(names.filter((name) => !task.late.includes(name)))
    const settings = { ...stage.settings, hostModes: { plan, code: allowed(names) } }
    const began = stage.router.openSession({ settings, hostMode: 'code' })
    tally.add('mode, begun in it: tools', (await began.start(task.text)).attached.length)
    began.close()
    const session = stage.router.openSession({ settings, hostMode: 'plan' })
    await session.start(task.text)
    await session.sync({ hostMode: 'code' })
    const { attached } = await session.sync()
    const ids = idsOf(stage, session, attached)
    tally.add('mode switched: tools', attached.length)
    tally.add(
      'mode switched',
      task.needs.every((need) => meets(ids, need)),
    )
    session.close()
  }
  return tally.counts
}
