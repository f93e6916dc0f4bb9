// Tools that say something else than what was accepted: all that differs side by side, marked.

import { difference } from './difference.mjs'
import { useAct, useView } from './live.mjs'
import { Loaded } from './parts.jsx'
import { plural, SEVERITIES } from './words.mjs'

export function Approvals({ overview, say }) {
  const state = useView('approvals')
  return (
    <Loaded state={state}>
      {({ isWithholding, waiting, count }) => (
        <>
          <p class="sum">
            {count === 0
              ? 'No tool waits for an approval.'
              : `${plural(count, 'tool')} off until somebody approves the new text.`}
          </p>
          {!isWithholding && (
            <p class="note">
              Tools that change are told of in the log and stay on. With <code>"changedTools": "withhold"</code> they
              are off until they are approved here or on the command line.
            </p>
          )}
          {waiting.map((change) => (
            <Change
              key={`${change.server}/${change.tool}/${change.hash}`}
              change={change}
              say={say}
              canAct={overview.canAct}
            />
          ))}
        </>
      )}
    </Loaded>
  )
}

function Change({ change, say, canAct }) {
  const [run, isBusy] = useAct(say)
  const { server, tool, name, parts, more, isWhole, hash, findings } = change
  const id = `change-${server}-${tool}`
  const approve = () =>
    run('approve', { server, tool, hash }, `${name} of ${server} is approved and comes back within a second.`)
  return (
    <section class="change" aria-labelledby={id}>
      <div class="bar">
        <h2 id={id}>
          {name} <small>of {server}</small>
        </h2>
        {findings.map(({ code, severity }, at) => (
          <span key={at} class={`tag ${SEVERITIES[severity]}`}>
            {code}
          </span>
        ))}
        {canAct && (
          <button type="button" disabled={isBusy} onClick={approve} aria-label={`Approve ${name} of ${server}`}>
            Approve
          </button>
        )}
      </div>
      {parts.map((part) => (
        <Part key={part.at} part={part} />
      ))}
      {more > 0 && <p class="note">And {plural(more, 'part')} more: look at them on the command line.</p>}
      {!isWhole && <p class="note">It was kept in part only: more may have changed than is shown here.</p>}
    </section>
  )
}

function Part({ part: { at, was = '', is = '' } }) {
  const [before, after] = difference(was, is)
  return (
    <>
      <h3>{at || 'The whole'}</h3>
      <div class="sides">
        <Side title="Accepted" parts={before} kind="del" />
        <Side title="Now" parts={after} kind="ins" />
      </div>
    </>
  )
}

function Side({ title, parts, kind: Kind }) {
  return (
    <div>
      <h4>{title}</h4>
      <p class="text">
        {parts.length === 0
          ? '(nothing)'
          : parts.map(({ text, isOther }, at) =>
              isOther ? <Kind key={at}>{text}</Kind> : <span key={at}>{text}</span>,
            )}
      </p>
    </div>
  )
}
