// What a part of the page shows is asked for when it is shown, and again when the gateway says that it has changed.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

import { act, read } from './api.mjs'

/** Listeners by name of what can be read. */
const listeners = new Map()

/** What has changed is asked for again by whoever shows it. */
export function changed(views) {
  for (const view of views) for (const listener of listeners.get(view) ?? []) listener()
}

/** All of it, after a break. */
export const changedAll = () => changed([...listeners.keys()])

/**
 * @param {string} what
 * @param {object} [params]
 * @param {string[]} [by] what else it changes by
 * @returns {{ data?: object, error?: string, isLoading: boolean }} the last answer stays until the next one is there
 */
export function useView(what, params = {}, by = []) {
  const [state, setState] = useState(
    /** @type {{ data?: any, error?: string, isLoading: boolean }} */ ({ isLoading: true }),
  )
  const asked = JSON.stringify(params)
  const running = useRef(/** @type {AbortController | undefined} */ (undefined))
  const load = useCallback(async () => {
    running.current?.abort()
    running.current = new AbortController()
    const { signal } = running.current
    setState((before) => ({ ...before, isLoading: true }))
    try {
      const data = await read(what, JSON.parse(asked), signal)
      if (!signal.aborted) setState({ data, isLoading: false })
    } catch ({ message }) {
      if (!signal.aborted) setState((before) => ({ ...before, error: message, isLoading: false }))
    }
  }, [what, asked])
  useEffect(() => {
    void load()
    const names = [what, ...by]
    for (const name of names) listeners.set(name, (listeners.get(name) ?? new Set()).add(load))
    return () => {
      running.current?.abort()
      for (const name of names) listeners.get(name).delete(load)
    }
  }, [load])
  return state
}

/** One thing that a person has done, while it is done. @returns {[(what: string, body: object) => Promise<any>, boolean]} */
export function useAct(say) {
  const [isBusy, setBusy] = useState(false)
  const run = async (what, body, done) => {
    setBusy(true)
    try {
      const answer = await act(what, body)
      if (done !== undefined) say(done)
      return answer
    } catch ({ message }) {
      say(message, true)
      return undefined
    } finally {
      setBusy(false)
    }
  }
  return [run, isBusy]
}
