// All tools, a page at a time: a list of thousands is as quick as one of ten.

import { useEffect, useState } from 'preact/hooks'

import { useAct, useView } from './live.mjs'
import { Count, Filter, Loaded, Opener, State, Table } from './parts.jsx'
import { Trying } from './trying.jsx'
import { KINDS, number, plural, SEVERITIES } from './words.mjs'

const COLUMNS = [
  { name: 'Tool', by: 'tool' },
  { name: 'Server', by: 'server', kind: 'wide' },
  { name: 'Kind', by: 'kind', kind: 'wide' },
  { name: 'Tokens', by: 'tokens', kind: 'number' },
  { name: 'Findings', by: 'findings', kind: 'wide' },
]
const ONLY = { all: 'All tools', on: 'In scope', off: 'Off', findings: 'With findings' }
/** A filter takes effect when nothing was typed for so long. */
const TYPED_MS = 150

export function Catalogue({ params, overview, say }) {
  const canSwitch = overview.canSwitch
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState({ text: '', server: params.server ?? '', only: 'all', sort: '', from: 0 })
  const ask = (more) => setAsked((before) => ({ ...before, from: 0, ...more }))
  useEffect(() => ask({ server: params.server ?? '' }), [params.server])
  useEffect(() => {
    const timer = setTimeout(() => ask({ text: typed }), TYPED_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const state = useView('tools', asked)
  const { data: { servers = [] } = {} } = useView('servers')
  return (
    <>
      <search>
        <form class="bar" onSubmit={(event) => event.preventDefault()}>
          <Filter words={typed} onWords={setTyped} placeholder="words of names and descriptions" />
          <label>
            <span>Server</span>
            <select value={asked.server} onChange={(event) => ask({ server: event.currentTarget.value })}>
              <option value="">all</option>
              {servers.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label>
            <span>Show</span>
            <select value={asked.only} onChange={(event) => ask({ only: event.currentTarget.value })}>
              {Object.entries(ONLY).map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </form>
      </search>
      <Loaded state={state}>
        {(found) => (
          <>
            <Pages found={found} onFrom={(from) => setAsked({ ...asked, from })} />
            {found.tools.length > 0 && (
              <Table
                caption="Tools"
                columns={COLUMNS}
                kind="of-words"
                sort={asked.sort}
                onSort={(sort) => ask({ sort })}
              >
                {found.tools.map((tool) => (
                  <Tool key={`${tool.server}/${tool.tool}`} tool={tool} canSwitch={canSwitch} say={say} />
                ))}
              </Table>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

function Pages({ found: { total, matched, from, page, tokens }, onFrom }) {
  const last = Math.min(matched, from + page)
  return (
    <div class="bar">
      <p class="sum" role="status">
        {matched === total ? plural(total, 'tool') : `${number(matched)} of ${plural(total, 'tool')}`}, {number(tokens)}{' '}
        tokens
        {matched > 0 && matched > page && `; ${number(from + 1)} to ${number(last)} shown`}
      </p>
      {matched > page && (
        <div class="pages">
          <button type="button" disabled={from === 0} onClick={() => onFrom(Math.max(0, from - page))}>
            Previous<span class="unseen"> {page} tools</span>
          </button>
          <button type="button" disabled={last >= matched} onClick={() => onFrom(from + page)}>
            Next<span class="unseen"> {page} tools</span>
          </button>
        </div>
      )}
    </div>
  )
}

function Tool({ tool, canSwitch, say }) {
  const [isOpen, setOpen] = useState(false)
  const { server, description, kind, tokens, findings, off } = tool
  const id = `tool-${server}-${tool.tool}`
  return (
    <>
      <tr class={off ? 'off' : ''}>
        <th scope="row">
          <Opener isOpen={isOpen} onToggle={() => setOpen(!isOpen)} controls={id} label={` of ${server}`}>
            {tool.tool}
          </Opener>
          <span class="line">{description}</span>
        </th>
        <td class="wide">{server}</td>
        <td class="wide">{off ? <State of={['off', 'quiet']} /> : <State of={KINDS[kind]} />}</td>
        <Count value={tokens} />
        <td class="wide">
          {findings.map(({ code, severity }, at) => (
            <span key={at} class={`tag ${SEVERITIES[severity]}`}>
              {code}
            </span>
          ))}
        </td>
      </tr>
      {isOpen && (
        <tr class="more" id={id}>
          <td colSpan={COLUMNS.length}>
            <Details server={server} tool={tool.tool} canSwitch={canSwitch} say={say} />
          </td>
        </tr>
      )}
    </>
  )
}

function Details({ server, tool, canSwitch, say }) {
  const [run, isBusy] = useAct(say)
  const state = useView('tool', { server, tool }, ['tools'])
  return (
    <Loaded state={state}>
      {({ name, title, description, schema, findings, off, byFile, kind, tokens }) => (
        <>
          {off && <p class="reason">Off: {off}.</p>}
          <dl class="pairs">
            <dt>Listed as</dt>
            <dd>
              <code>{name}</code>
            </dd>
            {title && (
              <>
                <dt>Title</dt>
                <dd>{title}</dd>
              </>
            )}
            <dt>Server</dt>
            <dd>{server}</dd>
            <dt>Kind</dt>
            <dd>
              {KINDS[kind][0]}, {number(tokens)} tokens
            </dd>
          </dl>
          {findings.length > 0 && (
            <>
              <h2>What the shield found</h2>
              <ul class="plainly">
                {findings.map(({ code, severity, field, text }, at) => (
                  <li key={at}>
                    <span class={`tag ${SEVERITIES[severity]}`}>
                      {severity}: {code}
                    </span>{' '}
                    in {field}: <q>{text}</q>
                  </li>
                ))}
              </ul>
            </>
          )}
          <h2>Description</h2>
          <pre class="prose">{description || '(none)'}</pre>
          <h2>Arguments</h2>
          <pre>{schema}</pre>
          {!off && <Trying server={server} tool={tool} kind={kind} schema={schema} say={say} />}
          {canSwitch && (!off || byFile) && (
            <div class="acts">
              <button
                type="button"
                disabled={isBusy}
                onClick={() => run('switch', { server, tool, on: Boolean(off) }, `${tool} is ${off ? 'on' : 'off'}.`)}
              >
                Switch {off ? 'on' : 'off'}
                <span class="unseen"> {tool}</span>
              </button>
            </div>
          )}
        </>
      )}
    </Loaded>
  )
}
