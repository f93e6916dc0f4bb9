// A tool is tried by a form of its schema.

import { useState } from 'preact/hooks'

import { argumentsOf, fieldsOf } from './fields.mjs'
import { useAct } from './live.mjs'

export function Trying({ server, tool, kind, schema, say }) {
  const [run, isBusy] = useAct(say)
  const [answer, setAnswer] = useState()
  const fields = fieldsOf(schema)
  const submit = async (event) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    try {
      const args = argumentsOf(fields, (name) => String(given.get(`of ${name}`) ?? ''))
      setAnswer(await run('call', { server, tool, args }))
    } catch ({ message }) {
      say(message, true)
    }
  }
  return (
    <>
      <h2>Try it</h2>
      <form class="try" onSubmit={submit}>
        {fields.map((field) => (
          <p key={field.name}>
            <label for={idOf(tool, field)}>
              {field.name || 'Arguments'}
              {field.required ? '' : ', optional'}
            </label>
            <Field field={field} id={idOf(tool, field)} />
            {field.hint && <small>{field.hint}</small>}
          </p>
        ))}
        {kind === 'destructive' && (
          <p class="sure">
            <input type="checkbox" required id={`sure-${tool}`} />{' '}
            <label for={`sure-${tool}`}>It may destroy something; call it</label>
          </p>
        )}
        <button type="submit" disabled={isBusy}>
          Call<span class="unseen"> {tool}</span>
        </button>
      </form>
      {answer && (
        <div role="status">
          <p class={answer.isError ? 'reason' : 'note'}>{answer.isError ? 'It answered with an error:' : 'Answer:'}</p>
          <pre>{answer.text}</pre>
        </div>
      )}
    </>
  )
}

const idOf = (tool, { name }) => `try-${tool}-${name}`

function Field({ field: { name, kind, required, choices }, id }) {
  const its = { id, name: `of ${name}`, required }
  if (kind === 'choice')
    return (
      <select {...its}>
        <option value="">(not given)</option>
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    )
  if (kind === 'json') return <textarea {...its} rows={3} spellcheck={false} placeholder="JSON" />
  // An empty text is a text.
  return kind === 'number' ? <input type="number" step="any" {...its} /> : <input type="text" id={id} name={its.name} />
}
