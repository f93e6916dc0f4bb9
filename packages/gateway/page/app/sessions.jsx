// Clients that are connected, and what each has.

import { useState } from 'preact/hooks'

import { useView } from './live.mjs'
import { Ago, Loaded, Count, Opener, State, Table } from './parts.jsx'
import { clock, number, plural } from './words.mjs'

const COLUMNS = [
  { name: 'Client' },
  { name: 'Since', kind: 'number' },
  { name: 'Attached', kind: 'number' },
  { name: 'List now', kind: 'number wide' },
  { name: 'Bill so far', kind: 'number' },
]
const ATTACHED = [
  { name: 'Tool' },
  { name: 'By' },
  { name: 'Since', kind: 'number wide' },
  { name: 'Tokens', kind: 'number' },
]

export function Sessions() {
  const state = useView('sessions')
  return (
    <Loaded state={state}>
      {({ sessions, count, connected, allTokens }) => (
        <>
          <p class="sum">
            {plural(connected, 'client')} connected. All tools in scope would be {number(allTokens)} tokens in each
            list.
          </p>
          {count === 0 ? (
            <p class="note">
              No client has a session. Clients of the current protocol need none: each of their calls says all of
              itself, and stands under <a href="#/calls">Calls</a>.
            </p>
          ) : (
            <Table caption="Sessions" columns={COLUMNS}>
              {sessions.map((session) => (
                <Session key={session.number} session={session} />
              ))}
            </Table>
          )}
        </>
      )}
    </Loaded>
  )
}

function Session({ session }) {
  const [isOpen, setOpen] = useState(false)
  const { number: id, client, since, busy, listed, bill, attached, count } = session
  return (
    <>
      <tr>
        <th scope="row">
          <Opener isOpen={isOpen} onToggle={() => setOpen(!isOpen)} controls={`session-${id}`}>
            {client}
          </Opener>
          <span class="line">
            session {id}
            {busy && <State of={['working', 'busy']} />}
          </span>
        </th>
        <td class="number">
          <Ago at={since} />
        </td>
        <Count value={count} />
        <td class="number wide">{number(listed)}</td>
        <Count value={bill.listTokens + bill.answerTokens} />
      </tr>
      {isOpen && (
        <tr class="more" id={`session-${id}`}>
          <td colSpan={COLUMNS.length}>
            <dl class="pairs">
              <dt>Lists</dt>
              <dd>
                read {plural(bill.lists, 'time')}, {number(bill.listTokens)} tokens together; the list has{' '}
                {number(listed)} now
              </dd>
              <dt>Answers</dt>
              <dd>
                {plural(bill.answers, 'answer')} of the gateway's own tools, {number(bill.answerTokens)} tokens
              </dd>
              <dt>Calls</dt>
              <dd>{plural(bill.calls, 'call')} of servers' tools</dd>
            </dl>
            {count === 0 ? <p class="note">Nothing is attached.</p> : <Attached tools={attached} client={client} />}
          </td>
        </tr>
      )}
    </>
  )
}

/** By whom and what for, as the gateway notes it: `manage_modules: github`. */
function causeOf(by, pinned) {
  if (pinned) return 'pinned by the configuration'
  const [tool, name] = by.split(': ')
  return name === undefined ? `the model, by ${tool}` : `the model, by ${tool} for ${name}`
}

function Attached({ tools, client }) {
  return (
    <Table caption={`Attached for ${client}`} columns={ATTACHED}>
      {tools.map(({ name, by, pinned, since, tokens, isThere }) => (
        <tr key={name} class={isThere ? '' : 'off'}>
          <th scope="row">
            <code>{name}</code>
            {!isThere && <State of={['gone', 'warn']} />}
          </th>
          <td>{causeOf(by, pinned)}</td>
          <td class="number wide">{clock(since)}</td>
          <Count value={tokens} />
        </tr>
      ))}
    </Table>
  )
}
