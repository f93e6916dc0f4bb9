// For a browser that the gateway does not know.

import { useState } from 'preact/hooks'

import { enter } from './api.mjs'

export function Enter({ error, onEnter }) {
  const [said, setSaid] = useState(error)
  const submit = async (event) => {
    event.preventDefault()
    const token = new FormData(event.currentTarget).get('token').trim()
    try {
      onEnter(await enter({ token }))
    } catch ({ message }) {
      setSaid(message)
    }
  }
  return (
    <main class="enter">
      <h1>Tool router</h1>
      <p>
        Open the address that the gateway has printed; it works once. Otherwise come in by the bearer token of the
        gateway, or of one profile, or by what a client of yours has: a key, or a token of your organisation.
      </p>
      <form onSubmit={submit}>
        <label for="token">Bearer token</label>
        <input id="token" name="token" type="password" autoComplete="off" required aria-describedby="said" />
        <button type="submit">Open</button>
      </form>
      <p id="said" class="bad" role="alert">
        {said}
      </p>
    </main>
  )
}
