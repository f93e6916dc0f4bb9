// What somebody has to do who wants to use a server that waits for a login.

import { loginLine } from '../base/command-line.mjs'
import { plain } from '../base/errors.mjs'

/** @param {import('../config/server.mjs').ServerDefinition} definition @param {import('./logins.mjs').Logins} logins */
export async function invitationTo(definition, logins) {
  const { name } = definition
  const noHelp = logins.noHelp(definition)
  if (noHelp !== undefined) return `server ${name} does not do this: ${noHelp}`
  const byHand = `run: ${loginLine(definition)}`
  try {
    const { url } = await logins.begin(definition)
    return `server ${name} wants a login. Open this address in a browser, then try again: ${url} or ${byHand}`
  } catch (error) {
    return `server ${name} wants a login, and ${plain(error.message, 500)}; ${byHand}`
  }
}
