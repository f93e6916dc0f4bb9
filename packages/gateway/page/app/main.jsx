// The page: who comes in, what is chosen at its top, and what stands below.

import { render } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

import { enter, isKnown, leave, listen, setOnStranger, setProfile } from './api.mjs'
import { Approvals } from './approvals.jsx'
import { Calls } from './calls.jsx'
import { Catalogue } from './catalogue.jsx'
import { Enter } from './enter.jsx'
import { changed, changedAll, useView } from './live.mjs'
import { State } from './parts.jsx'
import { Search } from './search.jsx'
import { Servers } from './servers.jsx'
import { Sessions } from './sessions.jsx'
import { Settings } from './settings.jsx'
import { number, plural } from './words.mjs'

const PLACES = {
  servers: ['Servers', Servers],
  catalogue: ['Catalogue', Catalogue],
  search: ['Search', Search],
  sessions: ['Sessions', Sessions],
  calls: ['Calls', Calls],
  approvals: ['Approvals', Approvals],
  settings: ['Settings', Settings],
}
/** What of the model that compares meanings is there. */
const MODELS = {
  cold: 'ranks by words, without a model',
  loading: 'the model is being loaded',
  ready: 'ranks by words and meaning',
  degraded: 'the model fails; ranks by words',
}
/** How long something that was said stays. */
const SAID_MS = 8_000

/** The place in the address, as `#/catalogue?server=github`. */
function placed() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  const place = Object.hasOwn(PLACES, path) ? path : 'servers'
  return { place, params: Object.fromEntries(new URLSearchParams(query)) }
}

function usePlace() {
  const [at, setAt] = useState(placed)
  useEffect(() => {
    const moved = () => setAt(placed())
    addEventListener('hashchange', moved)
    return () => removeEventListener('hashchange', moved)
  }, [])
  return at
}

/** What was done, for the eye and for a screen reader. */
function useSaid() {
  const [said, setSaid] = useState({ text: '' })
  useEffect(() => {
    if (said.text === '' || said.isError) return undefined
    const timer = setTimeout(() => setSaid({ text: '' }), SAID_MS)
    return () => clearTimeout(timer)
  }, [said])
  return [said, useCallback((text, isError = false) => setSaid({ text, isError }), [])]
}

function useLive(profile) {
  const [isLive, setLive] = useState(false)
  useEffect(() => {
    const ended = new AbortController()
    let isFirst = true
    void listen({
      signal: ended.signal,
      onChange: (views) => changed([...views, 'overview']),
      onState: (state) => {
        setLive(state)
        // What happened in the break is not known.
        if (state && !isFirst) changedAll()
        if (state) isFirst = false
      },
    })
    return () => ended.abort()
  }, [profile])
  return isLive
}

function Head({ overview, isLive, profile, onProfile, onLeave }) {
  const { servers, ready, failed, firstFailed, login, firstToLogIn, tools, clients, profiles = [] } = overview
  return (
    <header class="head">
      <p class="mark">
        <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
          <path d="M2 3.5h3.2c2.6 0 3 9 5.6 9H14M2 8h12M2 12.5h3.2c2.6 0 3-9 5.6-9H14" />
        </svg>
        Tool router
      </p>
      <dl class="facts">
        <div>
          <dt>servers ready</dt>
          <dd>
            {number(ready)}
            <small>/{number(servers)}</small>
          </dd>
        </div>
        <Fault count={failed} what="failed" first={firstFailed} tone="bad" />
        <Fault count={login} what="to log in" first={firstToLogIn} tone="warn" />
        <div>
          <dt>tools</dt>
          <dd>{number(tools)}</dd>
        </div>
        <div>
          <dt>clients</dt>
          <dd>{number(clients)}</dd>
        </div>
      </dl>
      <div class="side">
        {(profiles.length > 0 || profile !== undefined) && (
          <label>
            <span>Profile</span>
            <select value={profile ?? ''} onChange={(event) => onProfile(event.currentTarget.value || undefined)}>
              <option value="">all servers</option>
              {profiles.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <State of={isLive ? ['live', 'good'] : ['not connected', 'warn']} />
        <button type="button" class="plain" onClick={onLeave}>
          Leave
        </button>
      </div>
    </header>
  )
}

/** Servers that want a person, and the way to the first of them. */
function Fault({ count = 0, what, first = '', tone }) {
  if (count === 0) return null
  const label = `${number(count)} ${what}; go to ${first}`
  return (
    <div class={tone}>
      <dt>{what}</dt>
      <dd>
        <a href={`#/servers?server=${encodeURIComponent(first)}`} aria-label={label}>
          {number(count)}
        </a>
      </dd>
    </div>
  )
}

function Places({ place, waiting, person }) {
  // What others did is not shown to who is known by name.
  const places = Object.entries(PLACES).filter(([name]) => name !== 'sessions' || !person)
  return (
    <nav aria-label="Parts of the page">
      <ul>
        {places.map(([name, [title]]) => (
          <li key={name}>
            <a href={`#/${name}`} aria-current={name === place ? 'page' : undefined}>
              {title}
              {name === 'approvals' && waiting > 0 && (
                <span class="count">
                  {number(waiting)}
                  <span class="unseen"> waiting</span>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Inside({ own, onLeave }) {
  const [profile, choose] = useState()
  const [profiles, setProfiles] = useState([])
  setProfile(profile)
  const { place, params } = usePlace()
  const isLive = useLive(profile)
  const [said, say] = useSaid()
  const { data: overview = {} } = useView('overview', {}, ['servers', 'sessions', 'tools', 'approvals', profile ?? ''])
  const title = useRef()
  const isFirst = useRef(true)
  useEffect(() => {
    // A person who has chosen a place goes on from its title.
    if (!isFirst.current) title.current?.focus()
    isFirst.current = false
    document.title = `${PLACES[place][0]} – Tool router`
  }, [place])
  useEffect(() => {
    // A profile knows of no other.
    if (profile === undefined && overview.profiles) setProfiles(overview.profiles)
  }, [overview])
  const [heading, Part] = PLACES[place]
  const whose = profile ?? own
  return (
    <>
      <button type="button" class="skip" onClick={() => title.current?.focus()}>
        Skip to {heading}
      </button>
      <Head
        overview={{ ...overview, profiles }}
        isLive={isLive}
        profile={profile}
        onProfile={(name) => {
          setProfile(name)
          choose(name)
        }}
        onLeave={onLeave}
      />
      <Places place={place} waiting={overview.waiting} person={overview.person} />
      <main id="main">
        <h1 ref={title} tabIndex={-1}>
          {heading}
          {whose && <small> of profile {whose}</small>}
        </h1>
        <Part key={profile ?? ''} params={params} overview={overview} say={say} />
      </main>
      <div class={`said ${said.isError ? 'bad' : ''}`} role="status" aria-live="polite">
        {said.text !== '' && (
          <>
            <span>{said.text}</span>
            <button type="button" class="plain" onClick={() => say('')}>
              Close
            </button>
          </>
        )}
      </div>
      <footer>
        zoo-tool-router {overview.version}
        {overview.model && ` · ${MODELS[overview.model] ?? overview.model}`}
        {overview.leftOut?.length > 0 && ` · ${plural(overview.leftOut.length, 'entry', 'entries')} left out`}
      </footer>
    </>
  )
}

function Page({ ticket }) {
  const [visit, setVisit] = useState(() => ({
    isIn: ticket === undefined && isKnown(),
    isComing: ticket !== undefined,
  }))
  useEffect(() => {
    setOnStranger(() => setVisit({ isIn: false, error: 'This browser is not known to the gateway any more.' }))
    if (ticket === undefined) return
    enter({ ticket }).then(
      (own) => setVisit({ isIn: true, own }),
      // Known from before: a reload of an address that was used.
      ({ message }) => setVisit(isKnown() ? { isIn: true } : { isIn: false, error: message }),
    )
  }, [])
  if (visit.isIn)
    return (
      <Inside
        own={visit.own ?? undefined}
        onLeave={async () => {
          await leave()
          setVisit({ isIn: false })
        }}
      />
    )
  if (visit.isComing) return <p class="note">Opening…</p>
  return <Enter error={visit.error} onEnter={(own) => setVisit({ isIn: true, own })} />
}

/** The ticket behind `#`: taken out of the address before anything else is done. */
function takeTicket() {
  const [, ticket] = /^#([\w-]{20,})$/.exec(location.hash) ?? []
  if (ticket !== undefined) history.replaceState(null, '', location.pathname)
  return ticket
}

const page = document.getElementById('page')
// What is seen without this script goes: the renderer keeps an element that it cannot use.
page.replaceChildren()
render(<Page ticket={takeTicket()} />, page)
