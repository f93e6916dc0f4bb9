// The latest calls: times and sizes, and nothing of what they said. Those of this gateway, or what is kept of all.

import { useState } from 'preact/hooks'

import { useView } from './live.mjs'
import { Filter, Loaded, State, Table } from './parts.jsx'
import { bytes, clock, duration, OUTCOMES, plural } from './words.mjs'

const COLUMNS = [
  { name: 'Time' },
  { name: 'Tool' },
  { name: 'Outcome' },
  { name: 'Took', kind: 'number' },
  { name: 'Sent', kind: 'number wide' },
  { name: 'Received', kind: 'number wide' },
  { name: 'Who', kind: 'wide' },
]
const NONE = {
  calls: 'No tool was called yet. Calls are kept in memory, 200 at most, without their contents.',
  audit: 'The audit has no such call.',
}

export function Calls() {
  const [view, setView] = useState('calls')
  const [words, setWords] = useState('')
  const isAudit = view === 'audit'
  const state = useView(view, isAudit ? { words } : {}, ['calls'])
  return (
    <>
      {state.data?.isAudited && (
        <search>
          <form class="bar" onSubmit={(event) => event.preventDefault()}>
            <label>
              <span>Calls</span>
              <select value={view} onChange={(event) => setView(event.currentTarget.value)}>
                <option value="calls">of this gateway</option>
                <option value="audit">of all gateways, from the audit</option>
              </select>
            </label>
            {isAudit && (
              <Filter words={words} onWords={setWords} placeholder="a person, server, tool, client or outcome" />
            )}
          </form>
        </search>
      )}
      <Loaded state={state} empty={({ calls }) => calls.length === 0 && NONE[view]}>
        {({ calls }) => (
          <>
            <p class="sum">
              The latest {plural(calls.length, 'call')}, the newest first. Arguments and results are not kept.
            </p>
            <Table caption="Calls" columns={COLUMNS}>
              {calls.map((call) => (
                <Call key={call.id} call={call} isAudit={isAudit} />
              ))}
            </Table>
          </>
        )}
      </Loaded>
    </>
  )
}

function Call({ call, isAudit }) {
  const at = new Date(call.at).toISOString()
  return (
    <tr>
      <td>
        <time dateTime={at}>{isAudit ? `${at.slice(0, 10)} ${clock(call.at)}` : clock(call.at)}</time>
      </td>
      <th scope="row">
        <code>{call.tool}</code>
        <span class="line">{call.server || 'the gateway itself'}</span>
      </th>
      <td>
        <State of={OUTCOMES[call.outcome] ?? OUTCOMES.begun} />
        {call.why && <span class="line">{call.why}</span>}
      </td>
      <td class="number">{duration(call.ms)}</td>
      <td class="number wide">{bytes(call.sent)}</td>
      <td class="number wide">{bytes(call.received)}</td>
      <td class="wide">
        {call.person || '–'}
        <span class="line">{isAudit ? `${call.client || 'no client'} at ${call.replica}` : call.client}</span>
      </td>
    </tr>
  )
}
