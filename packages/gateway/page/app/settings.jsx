// The active settings, each with what it is. The texts are those of docs/gateway.md.

import { useView } from './live.mjs'
import { Loaded, Table } from './parts.jsx'
import { plural } from './words.mjs'

/** Filled in when the page is built. */
const SAYS = globalThis.SETTING_TEXTS

const COLUMNS = [{ name: 'Setting' }, { name: 'Value' }, { name: 'Default', kind: 'wide' }]

export function Settings({ overview }) {
  const state = useView('settings')
  const { profiles = [], leftOut = [] } = overview
  return (
    <>
      <Loaded state={state}>
        {({ settings }) => (
          <>
            <p class="sum">
              {plural(settings.filter(({ isChanged }) => isChanged).length, 'setting')} changed. They are edited in the
              configuration file, under <code>gateway</code>; the gateway follows the file.
            </p>
            <Table caption="Settings of the gateway" columns={COLUMNS} kind="of-words">
              {settings.map(({ name, value, default: otherwise, isChanged }) => (
                <tr key={name}>
                  <th scope="row">
                    <code>{name}</code>
                    <span class="line whole">{SAYS[name]}</span>
                  </th>
                  <td class="value">
                    {value}
                    {isChanged && <span class="tag">changed</span>}
                  </td>
                  <td class="wide faint">{isChanged ? otherwise : 'the same'}</td>
                </tr>
              ))}
            </Table>
          </>
        )}
      </Loaded>
      {profiles.length > 0 && (
        <section>
          <h2>Profiles</h2>
          <p class="note">Choose one at the top to see only what it has. Its servers start then.</p>
          <ul class="plainly">
            {profiles.map(({ name, hasToken }) => (
              <li key={name}>
                <strong>{name}</strong> <span class="faint">{hasToken ? 'has a token of its own' : 'by its path'}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {leftOut.length > 0 && (
        <section>
          <h2>Left out</h2>
          <ul class="plainly">
            {leftOut.map(({ kind, name, reason }) => (
              <li key={`${kind}/${name}`}>
                {kind} <strong>{name}</strong> <span class="faint">{reason}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
