// How often tools were called at all gateways over one database.

import { KEPT_DAYS, MAX_OF_SERVER, StoredUses } from '../uses.mjs'

/** Bytes of a name and the hash beside it, and a count that no sum goes beyond: a table is written by others. */
const MAX_BYTES = 8_192
const MAX_COUNT = Number.MAX_SAFE_INTEGER

/**
 * @param {import('./database.mjs').Asked} database
 * @param {{ escaped: (text: string) => string, unescaped: (text: string) => string }} texts
 */
export function postgresUses(database, { escaped, unescaped }) {
  return new StoredUses({
    // In one order, so that two gateways that count the same tools do not wait for each other.
    insert: (uses) =>
      database.query(
        `insert into tool_router.uses as u (identity, server, tool, definition, count)
         select identity, server, tool, definition, count(*)
         from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as t (identity, server, tool, definition)
         group by identity, server, tool, definition order by identity, tool, definition
         on conflict (identity, tool, definition) do update set count = least(u.count, $5 - excluded.count) + excluded.count, used_on = current_date`,
        [
          uses.map(({ identity }) => identity),
          uses.map(({ server }) => escaped(server)),
          uses.map(({ tool }) => escaped(tool)),
          uses.map(({ definition }) => definition),
          MAX_COUNT,
        ],
      ),
    async counts(identities) {
      const { rows } = await database.query(
        `select identity, tool, definition, least(count, $5)::float8 as count,
           least(used_on, current_date)::text as "usedOn"
         from unnest($1::text[]) as server (named) cross join lateral (
           select * from tool_router.uses where identity = named and used_on >= current_date - $2::integer
             and octet_length(tool) + octet_length(definition) <= $4
           order by used_on desc, count desc limit $3) as u`,
        [identities, KEPT_DAYS, MAX_OF_SERVER, MAX_BYTES, MAX_COUNT],
      )
      return rows.flatMap(({ tool, ...row }) => readable(unescaped, tool).map((name) => ({ ...row, tool: name })))
    },
    sweep: () =>
      database.query(
        `delete from tool_router.uses where (identity, tool, definition) in (
           select identity, tool, definition from tool_router.uses where (identity, tool, definition) in (
             select identity, tool, definition from (
               select *, row_number() over (partition by identity order by used_on desc, count desc) as place
               from tool_router.uses) as placed
             where used_on < current_date - $1::integer or place > $2)
           for update skip locked)`,
        [KEPT_DAYS, MAX_OF_SERVER],
      ),
  })
}

/** None where no gateway has written it: the others are read. */
function readable(unescaped, text) {
  try {
    return [unescaped(text)]
  } catch {
    return []
  }
}
