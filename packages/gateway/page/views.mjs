// What can be read at the page, by its name in the address.

import { overview, settings } from './about.mjs'
import { approvals } from './approving.mjs'
import { servers } from './servers.mjs'
import { audit, calls, sessions } from './sessions.mjs'
import { tool, tools } from './tools.mjs'

export const VIEWS = { overview, servers, tools, tool, sessions, calls, audit, approvals, settings }
