// What can be done at the page, by its name in the address. A search is among them: what a person types belongs into no
// address.

import { approve } from './approving.mjs'
import { call } from './calling.mjs'
import { search } from './search.mjs'
import { login, reload, restart } from './servers.mjs'
import { switchIt } from './switching.mjs'

export const ACTS = { approve, call, login, reload, restart, search, switch: switchIt }
