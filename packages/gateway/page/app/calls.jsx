// SPDX-License-Identifier: Apache-2.0
//
// The latest calls: times and sizes, and nothing of what they said.

import { useView } from './live.mjs'
import { Loaded, State, Table } from './parts.jsx'
import { bytes, clock, duration, OUTCOMES, plural } from './words.mjs'

const COLUMNS = [
  { name: 'Time' },
  { name: 'Tool' },
  { name: 'Outcome' },
  { name: 'Took', kind: 'number' },
  { name: 'Sent', kind: 'number wide' },
  { name: 'Received', kind: 'number wide' },
  { name: 'Client', kind: 'wide' },
]

export function Calls() {
  const state = useView('calls')
  return (
    <Loaded
      state={state}
      empty={({ calls }) =>
        calls.length === 0 && 'No tool was called yet. Calls are kept in memory, 200 at most, without their contents.'
      }
    >
      {({ calls }) => (
        <>
          <p class="sum">
            The latest {plural(calls.length, 'call')}, the newest first. Arguments and results are not kept.
          </p>
          <Table caption="Calls" columns={COLUMNS}>
            {calls.map((call) => (
              <tr key={call.number}>
                <td>
                  <time dateTime={new Date(call.at).toISOString()}>{clock(call.at)}</time>
                </td>
                <th scope="row">
                  <code>{call.tool}</code>
                  <span class="line">{call.server || 'the gateway itself'}</span>
                </th>
                <td>
                  <State of={OUTCOMES[call.outcome]} />
                </td>
                <td class="number">{duration(call.ms)}</td>
                <td class="number wide">{bytes(call.sent)}</td>
                <td class="number wide">{bytes(call.received)}</td>
                <td class="wide">{call.client || '–'}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </Loaded>
  )
}
