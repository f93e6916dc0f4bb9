// Servers and their states.

import { useEffect, useState } from 'preact/hooks'

import { useAct, useView } from './live.mjs'
import { Ago, Findings, Loaded, Opener, openerOf, State, Table } from './parts.jsx'
import { number, plural, STATES } from './words.mjs'

const COLUMNS = [
  { name: 'Server', by: 'server' },
  { name: 'State', by: 'state' },
  { name: 'Since', by: 'since', kind: 'number wide' },
  { name: 'Tools', by: 'tools', kind: 'number wide' },
  { name: 'Tokens', by: 'tokens', kind: 'number wide' },
  { name: 'Findings', by: 'findings', kind: 'wide' },
  { name: 'Actions', kind: 'end' },
]

const idOf = (name) => `server-${name}`

export function Servers({ params, overview, say }) {
  const [sort, setSort] = useState('')
  const state = useView('servers', { sort })
  const isThere = state.data !== undefined
  useEffect(() => {
    if (isThere && params.server) document.getElementById(openerOf(idOf(params.server)))?.focus()
  }, [isThere, params.server])
  const [run, isBusy] = useAct(say)
  return (
    <Loaded
      state={state}
      empty={({ count, leftOut }) => count + leftOut.length === 0 && 'This gateway has no servers.'}
    >
      {({ servers, leftOut, off, count }) => (
        <>
          <div class="bar">
            <p class="sum">
              {plural(count, 'server')}, {plural(total(servers, 'scopedCount'), 'tool')} in scope,{' '}
              {number(total(servers, 'tokens'))} tokens of definitions
            </p>
            {overview.canReload && (
              <button
                type="button"
                disabled={isBusy}
                onClick={() => run('reload', {}, 'The configuration was read again.')}
              >
                Read configuration again
              </button>
            )}
          </div>
          <Table caption="Servers behind the gateway" columns={COLUMNS} sort={sort} onSort={setSort}>
            {servers.map((server) => (
              <Server key={server.name} server={server} say={say} {...overview} />
            ))}
          </Table>
          {off.length > 0 && <Off names={off} say={say} canSwitch={overview.canSwitch} />}
          {leftOut.length > 0 && <LeftOut entries={leftOut} />}
        </>
      )}
    </Loaded>
  )
}

/** Nothing where one of them is not known yet. */
const total = (servers, field) =>
  servers.some((server) => server[field] === null) ? null : servers.reduce((sum, server) => sum + server[field], 0)

function Server({ server, say, canAct, canSwitch }) {
  const [isOpen, setOpen] = useState(false)
  const [run, isBusy] = useAct(say)
  const { name, state, reason, waiting } = server
  const id = idOf(name)
  const starts = state === 'idle' || state === 'waiting'
  const restart = () => run('restart', { server: name }, `${name} is being started${starts ? '' : ' again'}.`)
  const login = async () => {
    const answer = await run('login', { server: name })
    if (answer) setPage(answer.url)
  }
  const [page, setPage] = useState()
  const address = state === 'login' ? page : undefined
  return (
    <>
      <tr>
        <th scope="row">
          <Opener isOpen={isOpen} onToggle={() => setOpen(!isOpen)} controls={id}>
            {name}
          </Opener>
        </th>
        <td>
          <State of={STATES[state] ?? [state, 'quiet']} />
          {waiting > 0 && (
            <a class="tag warn" href="#/approvals">
              {waiting} changed
            </a>
          )}
        </td>
        <td class="number wide">
          <Ago at={server.since} />
        </td>
        <td class="number wide">{number(server.scopedCount)}</td>
        <td class="number wide">{number(server.tokens)}</td>
        <td class="wide">
          <Findings {...server.findings} />
        </td>
        <td class="end">
          {canAct && state === 'login' && (
            <button type="button" disabled={isBusy} onClick={login} aria-label={`Log in to ${name}`}>
              Log in
            </button>
          )}
          {canAct && (
            <button
              type="button"
              class="plain"
              disabled={isBusy}
              onClick={restart}
              aria-label={`${starts ? 'Start' : 'Restart'} ${name}`}
            >
              {starts ? 'Start' : 'Restart'}
            </button>
          )}
        </td>
      </tr>
      {(reason || address) && (
        <tr class="more">
          <td colSpan={COLUMNS.length}>
            {reason && <p class="reason">{reason}</p>}
            {address && (
              <p class="reason">
                <a href={address} target="_blank" rel="noopener noreferrer">
                  Open the login page of {name}
                </a>{' '}
                (a new tab). The server starts by itself when you have logged in.
              </p>
            )}
          </td>
        </tr>
      )}
      {isOpen && (
        <tr class="more" id={id}>
          <td colSpan={COLUMNS.length}>
            <Details server={server} />
            {canSwitch && (
              <div class="acts">
                <button
                  type="button"
                  disabled={isBusy}
                  onClick={() => run('switch', { server: name, on: false }, `${name} is off.`)}
                >
                  Switch off<span class="unseen"> {name}</span>
                </button>
              </div>
            )}
          </td>
        </tr>
      )}
    </>
  )
}

function Details({ server }) {
  const { name, reach, transport, description, pid, toolCount, scopedCount, lines, lazy } = server
  return (
    <>
      <dl class="pairs">
        <dt>{transport === 'http' ? 'Address' : 'Program'}</dt>
        <dd>
          <code>{reach}</code>
        </dd>
        {description && (
          <>
            <dt>For</dt>
            <dd>{description}</dd>
          </>
        )}
        <dt>Tools</dt>
        <dd>
          <a href={`#/catalogue?server=${encodeURIComponent(name)}`}>
            {plural(scopedCount, 'tool')} in scope<span class="unseen"> of {name}</span>
          </a>
          {toolCount > scopedCount && `, ${number(toolCount - scopedCount)} off`}
        </dd>
        <dt>Findings</dt>
        <dd>
          <Findings {...server.findings} />
        </dd>
        <dt>Definitions</dt>
        <dd>{number(server.tokens)} tokens</dd>
        {pid !== null && (
          <>
            <dt>Process</dt>
            <dd>{pid}</dd>
          </>
        )}
        {lazy && (
          <>
            <dt>Starts</dt>
            <dd>on its first use</dd>
          </>
        )}
      </dl>
      {lines && <h2>Last lines</h2>}
      {lines && (lines.length === 0 ? <p class="note">It has printed nothing.</p> : <pre>{lines.join('\n')}</pre>)}
    </>
  )
}

function Off({ names, say, canSwitch }) {
  const [run, isBusy] = useAct(say)
  return (
    <section>
      <h2>Switched off</h2>
      <ul class="plainly">
        {names.map((name) => (
          <li key={name}>
            <strong>{name}</strong>{' '}
            {canSwitch && (
              <button
                type="button"
                class="plain"
                disabled={isBusy}
                onClick={() => run('switch', { server: name, on: true }, `${name} is on, and is being started.`)}
                aria-label={`Switch ${name} on`}
              >
                Switch on
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function LeftOut({ entries }) {
  return (
    <section>
      <h2>Left out</h2>
      <p class="note">Entries of the configuration that cannot be read.</p>
      <ul class="plainly">
        {entries.map(({ name, reason }) => (
          <li key={name}>
            <strong>{name}</strong> <span class="faint">{reason}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
