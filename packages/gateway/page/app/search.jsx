// A search as the model's: what mcp_load would attach, and why.

import { useState } from 'preact/hooks'

import { useAct } from './live.mjs'
import { Opener } from './parts.jsx'
import { number, plural } from './words.mjs'

export function Search({ say }) {
  const [run, isBusy] = useAct(say)
  const [found, setFound] = useState()
  const submit = async (event) => {
    event.preventDefault()
    const query = new FormData(event.currentTarget).get('query')
    const answer = await run('search', { query })
    if (answer) setFound({ ...answer, query })
  }
  return (
    <>
      <search>
        <form class="bar" onSubmit={submit}>
          <label class="grow">
            <span>Need, as a model would write it for mcp_load</span>
            <input name="query" type="search" required maxLength={4096} autoComplete="off" />
          </label>
          <button type="submit" disabled={isBusy}>
            Search
          </button>
        </form>
      </search>
      <div role="status" aria-live="polite">
        {found && <Answer found={found} />}
      </div>
      {found && <Lists found={found} />}
      {!found && (
        <p class="note">
          The answer is that of mcp_load for a client that has nothing attached. Nothing is attached, and nothing is
          kept of the text.
        </p>
      )}
    </>
  )
}

function Answer({ found: { evidence, loaded, matched, ranker, nothingFits, doubt, degraded, query } }) {
  return (
    <>
      <p class="sum">
        <q>{query}</q>: {loaded.length === 0 ? 'no tool is attached' : `${plural(loaded.length, 'tool')} attached`}
        {matched > loaded.length && `, ${number(matched)} matched`}, ranked by {BY[ranker] ?? ranker}
      </p>
      {evidence !== undefined && (
        <p class="evidence">
          <span>Evidence that any tool serves it</span>
          <meter min="0" max="1" value={evidence} aria-label="evidence" />
          <strong>{evidence.toFixed(2)}</strong>
        </p>
      )}
      {nothingFits && <p class="reason">{nothingFits.message}</p>}
      {doubt && <p class="reason">{doubt}</p>}
      {degraded && <p class="note">{DEGRADED[degraded] ?? `Ranked by less than usual: ${degraded}.`}</p>}
    </>
  )
}

const DEGRADED = {
  'model-not-loaded': 'No model is loaded: the gateway was started with --lexical, or the model is not installed.',
  'model-loading': 'The model that compares meanings is still being loaded.',
  'vectors-pending': 'Not all tools have their vectors yet.',
}
const BY = { lexical: 'words alone', semantic: 'meaning alone', hybrid: 'words and meaning' }

function Lists({ found: { loaded, next, unavailable, nothingFits, modules } }) {
  const near = nothingFits?.servers ?? []
  const most = Math.max(...[...loaded, ...next].map(({ score = 0 }) => Math.abs(score)), 0.001)
  return (
    <>
      {loaded.length > 0 && (
        <section aria-labelledby="attached">
          <div class="bar">
            <h2 id="attached">Attached, in this order</h2>
            <p class="legend" aria-hidden="true">
              <i class="words" /> by words <i class="meaning" /> by meaning
            </p>
          </div>
          <Ranking tools={loaded} most={most} placeOf={(_, at) => at + 1} />
        </section>
      )}
      {next.length > 0 && (
        <section aria-labelledby="next">
          <h2 id="next">Not attached, next in rank</h2>
          <Ranking tools={next} most={most} placeOf={({ rank }, at) => rank ?? loaded.length + at + 1} />
        </section>
      )}
      {(unavailable.length > 0 || near.length > 0) && (
        <section aria-labelledby="away">
          <h2 id="away">Away</h2>
          <ul class="plainly">
            {unavailable.map(({ name, reason, detail }) => (
              <li key={name}>
                <strong>{name}</strong> {reason} <span class="faint">{detail}</span>
              </li>
            ))}
            {near.map(({ name, connected, reason }) => (
              <li key={name}>
                <strong>{name}</strong> comes near, {connected ? 'is connected' : 'is not connected'}{' '}
                <span class="faint">{reason}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {modules.length > 0 && (
        <section aria-labelledby="modules">
          <h2 id="modules">Parts of that server</h2>
          <ul class="plainly">
            {modules.map(({ name, description }) => (
              <li key={name}>
                <strong>{name}</strong> <span class="faint">{description}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

/** `placeOf`: the number that stands before each. */
function Ranking({ tools, most, placeOf }) {
  return (
    <ol class="ranking">
      {tools.map((tool, at) => (
        <Ranked key={`${tool.server}/${tool.tool}`} tool={tool} most={most} place={placeOf(tool, at)} />
      ))}
    </ol>
  )
}

function Ranked({ tool, most, place }) {
  const [isOpen, setOpen] = useState(false)
  const { server, description, score, rank, candidates } = tool
  const id = `why-${server}-${tool.tool}`
  return (
    <li>
      <span class="place">{number(place)}</span>
      <div class="ranked">
        <Opener isOpen={isOpen} onToggle={() => setOpen(!isOpen)} controls={id} label={` of ${server}: why`}>
          {tool.tool}
        </Opener>
        <span class="of">{server}</span>
        {score !== undefined && (
          <>
            <span class="shares" aria-hidden="true">
              <i class="words" style={{ width: `${share(tool.byWords, most)}%` }} />
              <i class="meaning" style={{ width: `${share(tool.byMeaning, most)}%` }} />
            </span>
            <span class="score">
              <span class="unseen">score </span>
              {score.toFixed(2)}
            </span>
          </>
        )}
      </div>
      <p class="line">{description}</p>
      {isOpen && (
        <div id={id} class="why">
          {rank === undefined ? (
            <p class="note">It is gone by now.</p>
          ) : (
            <Why tool={tool} rank={rank} candidates={candidates} />
          )}
        </div>
      )}
    </li>
  )
}

const share = (value, most) => Math.min(100, Math.max(0, (100 * (value ?? 0)) / most))
const signed = (value) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`

function Why({ tool, rank, candidates }) {
  const { byWords, byMeaning, adjustments, terms, named, companionOf, clause, negated } = tool
  return (
    <dl class="pairs">
      <dt>Rank</dt>
      <dd>
        {number(rank)} of {number(candidates)}
      </dd>
      <dt>By words</dt>
      <dd>
        {signed(byWords)}
        {terms.length > 0 && <span class="faint"> from {terms.map(({ term }) => term).join(', ')}</span>}
      </dd>
      <dt>By meaning</dt>
      <dd>{signed(byMeaning)}</dd>
      {adjustments.map(({ name, share: added }) => (
        <Pair key={name} name={name} text={signed(added)} />
      ))}
      {named !== 'none' && (
        <Pair name="Named" text={named === 'tool' ? 'the text names it' : 'the text names it and its server'} />
      )}
      {companionOf.map(({ of, by }) => (
        <Pair key={of} name="Needed by" text={`${of} (${by})`} />
      ))}
      {clause && <Pair name="Part of the text" text={clause} />}
      {negated.length > 0 && <Pair name="Not wanted" text={negated.join(', ')} />}
    </dl>
  )
}

function Pair({ name, text }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </>
  )
}
