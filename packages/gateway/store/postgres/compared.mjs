// Sessions of comparisons at all gateways over one database. One that goes on at another gateway is counted on.

import { COUNTED, isWhole, KEPT_DAYS, MOST_SESSIONS, StoredCounts } from '../compared.mjs'

/** Columns, in the order of {@link COUNTED}. */
const COLUMNS = ['list_tokens', 'answer_tokens', 'steps', 'searches', 'refusals', 'ms']

/**
 * @param {import('./database.mjs').Asked} database
 * @param {string} [profile] that is served, if one is
 */
export function postgresCompared(database, profile) {
  const sums = COLUMNS.map((name) => `${name} = c.${name} + excluded.${name}`).join(', ')
  const numbers = COLUMNS.map((_, at) => `$${at + 5}::float8[]`).join(', ')
  return new StoredCounts({
    insert: (rows) =>
      database.query(
        `insert into tool_router.compared as c (profile, comparison, session, arm, ${COLUMNS.join(', ')})
         select $1, t.* from unnest($2::text[], $3::text[], $4::text[], ${numbers}) as t
         on conflict (comparison, session) do update set ${sums}, used_at = now()`,
        [profile ?? null, ...['comparison', 'session', 'arm', ...COUNTED].map((key) => rows.map((row) => row[key]))],
      ),
    async read(comparison) {
      const named = COLUMNS.map((name, at) => `${name} as "${COUNTED[at]}"`).join(', ')
      const { rows } = await database.query(
        `select arm, ${named} from tool_router.compared
         where comparison = $1 and profile is not distinct from $2 order by used_at desc limit $3`,
        [comparison, profile ?? null, MOST_SESSIONS],
      )
      return rows.filter(isWhole)
    },
    sweep: () =>
      database.query(
        `delete from tool_router.compared where (comparison, session) in (
           select comparison, session from tool_router.compared where (comparison, session) in (
             select comparison, session from (
               select *, row_number() over (partition by profile, comparison order by used_at desc) as place
               from tool_router.compared) as placed
             where used_at < now() - make_interval(days => $1) or place > $2)
           for update skip locked)`,
        [KEPT_DAYS, MOST_SESSIONS],
      ),
  })
}
