// What another value of a setting would change, played on recorded sessions.

import { useState } from 'preact/hooks'

import { useAct, useView } from './live.mjs'
import { Loaded, Table } from './parts.jsx'
import { number, plural } from './words.mjs'

export function Playing({ say }) {
  const state = useView('recorded')
  return (
    <section aria-labelledby="playing">
      <h2 id="playing">What another value would change</h2>
      <Loaded state={state} empty={emptyOf}>
        {({ sessions, settings }) => <Form sessions={sessions} settings={settings} say={say} />}
      </Loaded>
    </section>
  )
}

function emptyOf({ isOn, sessions, settings }) {
  if (!isOn) return 'No session is recorded: recordDir names no folder.'
  if (settings.length === 0) return 'All tools are listed from the start, so no session looks for any.'
  return sessions === 0 ? 'No session has been recorded yet.' : undefined
}

function Form({ sessions, settings, say }) {
  const [run, isBusy] = useAct(say)
  const [name, setName] = useState(settings[0].name)
  const [result, setResult] = useState()
  const setting = settings.find((each) => each.name === name)
  const submit = async (event) => {
    event.preventDefault()
    const value = String(new FormData(event.currentTarget).get('value'))
    const answer = await run('play', { setting: name, value: setting.choices ? value : Number(value) })
    if (answer) setResult(answer)
  }
  return (
    <>
      <form class="bar" onSubmit={submit}>
        <label>
          <span>Setting to try</span>
          <select value={name} onChange={({ currentTarget }) => setName(currentTarget.value)}>
            {settings.map((each) => (
              <option key={each.name} value={each.name}>
                {each.name}
              </option>
            ))}
          </select>
        </label>
        <label for="playing-value">
          <span>Instead of {shown(setting.value)}</span>
          <Value key={name} setting={setting} />
        </label>
        <button type="submit" disabled={isBusy}>
          {isBusy ? 'Playing…' : 'Play'}
        </button>
      </form>
      <p class="note">
        {plural(sessions, 'session')} recorded. Their searches are made again, with both values; no tool of a server is
        called.
      </p>
      <div role="status" aria-live="polite">
        {result && <Sum result={result} />}
      </div>
      {result && result.played > 0 && <Difference result={result} />}
    </>
  )
}

function Value({ setting: { value, choices, least, most } }) {
  if (choices)
    return (
      <select name="value" id="playing-value">
        {choices
          .filter((each) => each !== value)
          .map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
      </select>
    )
  return <input name="value" id="playing-value" type="number" required min={least} max={most} step="1" />
}

const shown = (value) => (typeof value === 'number' ? number(value) : value)

function Sum({ result: { setting, value, other, sessions, played } }) {
  const isWhole = played === sessions
  return (
    <p class="sum">
      <code>{setting}</code> {shown(other)} instead of {shown(value)}, on{' '}
      {isWhole ? plural(played, 'session') : `${number(played)} of ${plural(sessions, 'session')}: the time was up`}
    </p>
  )
}

const COLUMNS = [
  { name: 'Mean per session' },
  { name: 'Now', kind: 'number' },
  { name: 'Then', kind: 'number' },
  { name: 'Difference', kind: 'number wide' },
]
const ROWS = [
  ['Tokens of lists', 'listTokens'],
  ['Tokens of the gateway’s answers', 'answerTokens'],
  ['Tools attached', 'attached'],
]

function Difference({ result: { played, before, after } }) {
  const mean = (cost, name) => Math.round((10 * cost[name]) / played) / 10
  const share = ({ found, called }) => (called === 0 ? '–' : `${number(found)} of ${number(called)}`)
  return (
    <Table caption="What the sessions cost with both values" columns={COLUMNS} kind="of-words">
      {ROWS.map(([words, name]) => (
        <Row key={name} words={words} was={mean(before, name)} is={mean(after, name)} />
      ))}
      <tr>
        <th scope="row">Called tools that were attached by then, of all sessions</th>
        <td class="number">{share(before)}</td>
        <td class="number">{share(after)}</td>
        <td class="number wide">{signed(after.found - before.found)}</td>
      </tr>
    </Table>
  )
}

function Row({ words, was, is }) {
  return (
    <tr>
      <th scope="row">{words}</th>
      <td class="number">{number(was)}</td>
      <td class="number">{number(is)}</td>
      <td class="number wide">{signed(Math.round(10 * (is - was)) / 10)}</td>
    </tr>
  )
}

const signed = (value) => (value > 0 ? `+${number(value)}` : number(value).replace('-', '−'))
