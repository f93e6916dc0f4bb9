// Entries whose keys are called differently, as entries in the common keys: goose, and Continue.

/** Kinds of goose's extensions that are servers. */
const OF_GOOSE = ['stdio', 'sse', 'streamable_http']
/** Kinds that are parts of it. */
const IN_GOOSE = ['builtin', 'platform', 'frontend', 'inline_python']

/** Keys by one of which an entry is known for a server. */
const STARTS = ['command', 'url', 'httpUrl', 'serverUrl', 'cmd', 'uri']

/** Whether a value looks like an entry: something is started or reached by it. */
export function isServer(value) {
  if (value === null || typeof value !== 'object') return false
  return STARTS.some((key) => typeof value[key] === 'string') || Array.isArray(value.command)
}

/** Whether a value looks like an extension of goose. */
export function isOfGoose(value) {
  if (value === null || typeof value !== 'object') return false
  return IN_GOOSE.includes(value.type) || (OF_GOOSE.includes(value.type) && isServer(value))
}

/**
 * An entry in the common keys. `null` is what an editor writes for a field that is not set.
 *
 * @param {Record<string, any>} written
 * @param {string} [client]
 * @returns {Record<string, any>}
 */
export function translated(written, client) {
  /** @type {Record<string, any>} */
  const entry = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== null))
  if (client === 'goose') return fromGoose(entry)
  // Continue's older files have the transport in an object, and both of its kinds the headers in another.
  const { transport, requestOptions, connectionTimeout, ...rest } = entry
  const isNested = transport !== null && typeof transport === 'object'
  const headers = entry.headers ?? requestOptions?.headers ?? (isNested ? transport.requestOptions?.headers : undefined)
  return {
    ...rest,
    ...(isNested ? transport : transport !== undefined && { transport }),
    ...(headers !== undefined && { headers }),
    ...(connectionTimeout !== undefined && { startup_timeout_ms: connectionTimeout }),
  }
}

function fromGoose(entry) {
  const { cmd, envs, env_keys: secrets, uri, available_tools: tools, ...rest } = entry
  // Their values are in goose's keyring, which is for goose alone: here variables hold them.
  const fromKeyring = Array.isArray(secrets) ? secrets.filter((name) => typeof name === 'string') : []
  return {
    ...rest,
    command: rest.command ?? cmd,
    url: rest.url ?? uri,
    env: { ...Object.fromEntries(fromKeyring.map((name) => [name, `\${env:${name}}`])), ...envs, ...rest.env },
    ...((tools ?? []).length !== 0 && { includeTools: tools }),
  }
}
