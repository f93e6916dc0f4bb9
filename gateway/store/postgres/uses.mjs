// SPDX-License-Identifier: Apache-2.0
//
// How often tools were called at all gateways over one database.

import { KEPT_DAYS, MOST_OF_SERVER, StoredUses } from '../uses.mjs'

/**
 * @param {import('./database.mjs').Database} database
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
         on conflict (identity, tool, definition) do update set count = u.count + excluded.count, used_on = current_date`,
        [
          uses.map(({ identity }) => identity),
          uses.map(({ server }) => escaped(server)),
          uses.map(({ tool }) => escaped(tool)),
          uses.map(({ definition }) => definition),
        ],
      ),
    async counts(identities) {
      const { rows } = await database.query(
        `select identity, tool, definition, count::float8, used_on::text as "usedOn"
         from tool_router.uses where identity = any($1) and used_on >= current_date - $2::integer`,
        [identities, KEPT_DAYS],
      )
      return rows.map(({ tool, ...row }) => ({ ...row, tool: unescaped(tool) }))
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
        [KEPT_DAYS, MOST_OF_SERVER],
      ),
  })
}
