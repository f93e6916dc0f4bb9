// The order in which a person has rows shown.

import { Refused } from './replies.mjs'

const { compare } = new Intl.Collator('en', { numeric: true })

/**
 * @template Row
 * @param {Row[]} rows
 * @param {URLSearchParams} asked `sort`: a column, the least of it first; with `-` before it the greatest. Without it rows stay
 * as they are
 * @param {Record<string, (row: any) => string | number | null | undefined>} columns what each sorts by; what is not known comes
 * last either way
 */
export function ordered(rows, asked, columns) {
  const sort = asked.get('sort') ?? ''
  if (sort === '') return rows
  const isDown = sort.startsWith('-')
  const name = isDown ? sort.slice(1) : sort
  if (!Object.hasOwn(columns, name))
    throw new Refused(400, `sort: expected one of ${Object.keys(columns).join(', ')}, or one with - before it`)
  const keyed = rows.map((row) => ({ row, key: columns[name](row) ?? undefined }))
  const of = ({ key: one }, { key: two }) => {
    if (one === undefined || two === undefined) return Number(one === undefined) - Number(two === undefined)
    const order = typeof one === 'number' && typeof two === 'number' ? one - two : compare(String(one), String(two))
    return isDown ? -order : order
  }
  return keyed.toSorted(of).map(({ row }) => row)
}
