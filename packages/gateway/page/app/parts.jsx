// What several parts of the page are made of.

import { useEffect, useState } from 'preact/hooks'

import { ago, number } from './words.mjs'

/** A state: a mark of its own form and a word, so that colour alone says nothing. */
export function State({ of: [word, tone] }) {
  return (
    <span class={`state ${tone}`}>
      <i aria-hidden="true" />
      {word}
    </span>
  )
}

/**
 * A table whose columns say what is a number, what a narrow window leaves out, and `by` what they sort. `sort` is the column that
 * it is sorted by, with `-` before it for the greatest first.
 */
export function Table({ caption, columns, kind, sort = '', onSort, children }) {
  return (
    <table class={kind}>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, by, kind = '' }) => (
            <th
              key={name}
              scope="col"
              class={kind}
              aria-sort={by && { [by]: 'ascending', [`-${by}`]: 'descending' }[sort]}
            >
              {by ? (
                <button type="button" class="sorter" onClick={() => onSort(nextSort(sort, by, kind))}>
                  {name}
                </button>
              ) : (
                name
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

/** One way, the other way, and as it was; of numbers the greatest are wanted first. */
function nextSort(sort, by, kind) {
  const ways = kind.includes('number') ? [`-${by}`, by] : [by, `-${by}`]
  return [...ways, ''][ways.indexOf(sort) + 1]
}

/** A field that filters what stands below it. */
export function Filter({ words, onWords, placeholder }) {
  return (
    <label class="grow">
      <span>Filter</span>
      <input
        type="search"
        value={words}
        onInput={(event) => onWords(event.currentTarget.value)}
        placeholder={placeholder}
      />
    </label>
  )
}

export function Count({ value }) {
  return <td class="number">{number(value)}</td>
}

/** What is shown while nothing is known, where something failed, and where there is nothing. */
export function Loaded({ state: { data, error, isLoading }, empty, children }) {
  if (data === undefined && error === undefined) return <p class="note">{isLoading ? 'Loading…' : ''}</p>
  return (
    <>
      {error !== undefined && (
        <p class="note bad" role="alert">
          {error}
        </p>
      )}
      {data !== undefined && (empty?.(data) ? <p class="note">{empty(data)}</p> : children(data))}
    </>
  )
}

/** The id of the button that opens something. */
export const openerOf = (controls) => `${controls}-opener`

/** A button that opens and closes what belongs to it. */
export function Opener({ isOpen, onToggle, controls, label, children }) {
  return (
    <button
      type="button"
      class="opener"
      id={openerOf(controls)}
      aria-expanded={isOpen}
      aria-controls={controls}
      onClick={onToggle}
    >
      <span aria-hidden="true" class="arrow" />
      <span>{children}</span>
      {label && <span class="unseen">{label}</span>}
    </button>
  )
}

/** How long ago, counted on. */
export function Ago({ at }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000)
    return () => clearInterval(timer)
  }, [])
  if (at === undefined) return <span>–</span>
  return <time dateTime={new Date(at).toISOString()}>{ago(at, Math.max(now, at))}</time>
}

/** Findings of the shield in short. */
export function Findings({ high = 0, medium = 0, low = 0 }) {
  const found = [
    [high, 'high', 'bad'],
    [medium, 'medium', 'warn'],
    [low, 'low', 'quiet'],
  ].filter(([count]) => count > 0)
  if (found.length === 0) return <span class="faint">none</span>
  return (
    <span class="findings">
      {found.map(([count, severity, tone]) => (
        <span key={severity} class={`tag ${tone}`}>
          {count} {severity}
        </span>
      ))}
    </span>
  )
}
