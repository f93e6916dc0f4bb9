// A modern server may answer a request with questions, and is asked again with the answers. A modern client does that
// itself; for one of the older era the gateway does.

import { canAnswer } from '../downstream/under-way.mjs'
import { Unavailable } from '../base/errors.mjs'

/** Rounds of questions of one request. */
const MAX_ROUNDS = 10
/** Questions of one round. */
const MAX_QUESTIONS = 50

const CAPABILITY = { 'elicitation/create': 'elicitation', 'sampling/createMessage': 'sampling', 'roots/list': 'roots' }

/**
 * Sends a request of a client to a server.
 *
 * @param {Pick<import('../downstream/downstream.mjs').Downstream, 'name' | 'request'>} downstream
 * @param {string} method
 * @param {object} params
 * @param {import('./caller.mjs').Caller} caller
 * @param {import('../downstream/connection.mjs').HowAsked} [options]
 */
export async function send(downstream, method, params, caller, options = {}) {
  let { retry } = caller
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result = await downstream.request(method, params, caller, { ...options, retry })
    if (result?.resultType !== 'input_required' || caller.isModern) return result
    retry = await answers(result, caller, downstream.name)
  }
  throw new Unavailable(`server ${downstream.name} asked ${MAX_ROUNDS} times without finishing`)
}

/**
 * Has the client answer what a server wants to know.
 *
 * @param {Record<string, any>} result
 * @param {import('./caller.mjs').Caller} caller
 * @param {string} name of the server
 */
async function answers({ inputRequests = {}, requestState }, caller, name) {
  const questions = Object.entries(inputRequests)
  if (questions.length > MAX_QUESTIONS)
    throw new Unavailable(`server ${name} asked ${questions.length} questions together`)
  const answered = await Promise.all(
    questions.map(async ([key, { method, params = {} }]) => {
      const capability = Object.hasOwn(CAPABILITY, method) ? CAPABILITY[method] : undefined
      if (!capability || !canAnswer(caller.capabilities, capability, params))
        throw new Unavailable(
          `server ${name} asks for ${capability ?? 'something new'}, which this client does not support`,
        )
      return [key, await caller.ask({ method, params })]
    }),
  )
  return { inputResponses: Object.fromEntries(answered), ...(requestState !== undefined && { requestState }) }
}
