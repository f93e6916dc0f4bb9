// A store that cannot be reached, in words.

import { Unavailable } from '../base/errors.mjs'

/** What PostgreSQL says by these codes (appendix A of its manual). Its own texts may repeat what it was sent. */
const REASONS = new Map([
  ['28P01', 'it does not take the password'],
  ['28000', 'it does not let this user in'],
  ['3D000', 'it has no database of this name'],
  ['42501', 'the user lacks rights'],
  ['53300', 'it has too many connections'],
  ['57P01', 'it is shutting down'],
  ['57P02', 'it is shutting down'],
  ['57P03', 'it is starting'],
  ['25006', 'it only reads'],
  ['54000', 'it is too large'],
  ['57014', 'it took too long'],
])

/** Classes of codes that are about one question: the database is there and does not take what it was sent. */
const REFUSALS = /^(0A|21|22|23|40|42|54)/

/** The store is out of reach. What was to be changed is as it was. */
export class StoreAway extends Unavailable {}

/** What was to be kept cannot be written. It holds as long as this process runs. */
export class NotKept extends Unavailable {
  /**
   * @param {string} message
   * @param {{ result: any, isFirst: boolean }} of what the change gave, and whether all was kept until now
   */
  constructor(message, { result, isFirst }) {
    super(message)
    this.result = result
    this.isFirst = isFirst
  }
}

/** The store does not take what it was sent. */
export class StoreRefusal extends Unavailable {}

/** @param {import('../config/address.mjs').StoreAddress} address @param {Error & { code?: string }} error of the driver */
export function inWords(address, error) {
  if (error instanceof StoreAway || error instanceof StoreRefusal) return error
  const reason = reasonFor(error)
  return error.code !== undefined && REFUSALS.test(error.code)
    ? new StoreRefusal(`the database at ${address} does not do what it was asked: ${reason}`)
    : new StoreAway(`the database at ${address} cannot be reached: ${reason}`)
}

function reasonFor(error) {
  const { code, message } = error
  if (code !== undefined) return REASONS.get(code) ?? String(code)
  return /timeout/i.test(message) ? 'it does not answer' : 'the connection has ended'
}
