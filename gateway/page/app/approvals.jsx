// SPDX-License-Identifier: Apache-2.0
//
// Tools that say something else than what was accepted: both texts side by side, with what differs marked.

import { difference } from './difference.mjs'
import { useAct, useView } from './live.mjs'
import { Loaded } from './parts.jsx'
import { plural, SEVERITIES } from './words.mjs'

export function Approvals({ say }) {
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
            <Change key={`${change.server}/${change.tool}/${change.hash}`} change={change} say={say} />
          ))}
        </>
      )}
    </Loaded>
  )
}

function Change({ change, say }) {
  const [run, isBusy] = useAct(say)
  const { server, tool, name, was, is, sameText, hash, findings } = change
  const id = `change-${server}-${tool}`
  const approve = () =>
    run('approve', { server, tool, hash }, `${name} of ${server} is approved and comes back within a second.`)
  const [before, after] = difference(was, is)
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
        <button type="button" disabled={isBusy} onClick={approve} aria-label={`Approve ${name} of ${server}`}>
          Approve
        </button>
      </div>
      {sameText && (
        <p class="note">
          Its description is the same; its title, arguments or annotations are not, and their old text is not kept.
        </p>
      )}
      <div class="sides">
        <Side title="Accepted" parts={before} kind="del" />
        <Side title="Now" parts={after} kind="ins" />
      </div>
    </section>
  )
}

function Side({ title, parts, kind: Kind }) {
  return (
    <div>
      <h3>{title}</h3>
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
