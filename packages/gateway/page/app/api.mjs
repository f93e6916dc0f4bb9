// What the page asks of its gateway. The key that the gateway gave goes with each request; the cookie beside it is sent by
// the browser, and no script reads it.

const KEY = 'zoo-page-key'
const HEADER = 'x-page-key'
/** When a stream that broke is opened again. */
const AGAIN_MS = 2_000

/** The profile that is looked at; undefined for all that the visitor may see. */
let profile
/** Called when the gateway does not know this browser any more. */
let onStranger = () => {}

export const setProfile = (name) => {
  profile = name
}
export const setOnStranger = (listener) => {
  onStranger = listener
}

/** A browser without storage keeps the key as long as this page. */
let kept
const key = () => {
  try {
    return localStorage.getItem(KEY) ?? kept
  } catch {
    return kept
  }
}
function keep(value) {
  kept = value
  try {
    if (value === undefined) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, value)
  } catch {
    // The next reload asks for the token.
  }
}
export const isKnown = () => Boolean(key())

const addressOf = (what) => `/ui/${profile === undefined ? '' : `of/${encodeURIComponent(profile)}/`}data/${what}`

/** @param {string} address @param {{ body?: object, signal?: AbortSignal }} [how] */
async function request(address, { body, signal } = {}) {
  const headers = { [HEADER]: key() ?? '', ...(body && { 'Content-Type': 'application/json' }) }
  const response = await fetch(address, {
    method: body ? 'POST' : 'GET',
    headers,
    body: body && JSON.stringify(body),
    signal,
    cache: 'no-store',
    redirect: 'error',
  })
  if (response.ok) return response
  const { error } = await response.json().catch(() => ({}))
  if (response.status === 401 && address !== '/ui/enter') {
    keep(undefined)
    onStranger()
  }
  throw new Error(error ?? `the gateway answered ${response.status}`)
}

/** Comes in by a ticket or a token. */
export async function enter(proof) {
  const { key: given, profile: own } = await (await request('/ui/enter', { body: proof })).json()
  keep(given)
  return own
}

export async function leave() {
  await request('/ui/leave', { body: {} }).catch(() => {})
  keep(undefined)
}

export async function read(what, params = {}, signal) {
  const asked = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== undefined && value !== ''))
  const query = asked.size > 0 ? `?${asked}` : ''
  return (await request(addressOf(what) + query, { signal })).json()
}

export async function act(what, body = {}) {
  return (await request(addressOf(what), { body })).json()
}

/**
 * Listens to what changes, until it is aborted.
 *
 * @param {{ onChange: (views: string[]) => void, onState: (isLive: boolean) => void, signal: AbortSignal }} how
 */
export async function listen({ onChange, onState, signal }) {
  while (!signal.aborted) {
    try {
      const { body } = await request(addressOf('events'), { signal })
      onState(true)
      await each(body, (event, data) => event === 'changed' && onChange(JSON.parse(data)))
    } catch {
      // Told by its state; tried again below.
    }
    onState(false)
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
}

/** Reads the events of a stream to its end. */
async function each(body, take) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let open = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const events = (open + value).split('\n\n')
    open = String(events.pop())
    for (const text of events) {
      const field = (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]
      if (field('data') !== undefined) take(field('event'), field('data'))
    }
  }
}
