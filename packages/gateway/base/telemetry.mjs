// Metrics and traces of calls over OpenTelemetry's own packages: how many, how long, how they ended, what definitions cost.
// Nothing of arguments, results and needs is in them. A host that has an SDK of its own uses that; a gateway on the command
// line starts one where the standard variables name an endpoint.

import process from 'node:process'

/** What a collector calls the program, unless OTEL_SERVICE_NAME says otherwise, and whose figures these are. */
const NAME = 'zoo-tool-router'
/** Any of these names an endpoint. */
const ENDPOINTS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
]
/** Tools of the gateway that search. */
const SEARCHES = ['mcp_load', 'search_mcps', 'select_mode', 'report_missing_capability']
/** Outcomes of a call that are errors of somebody. What is refused is no error: it did what it should. */
const ERRORS = ['error', 'unavailable', 'failed']

/** Whether figures are sent to one, or fetched by Prometheus. @param {NodeJS.ProcessEnv} env */
export function namesEndpoint(env) {
  const isFetched = env.OTEL_METRICS_EXPORTER?.split(',').some((each) => each.trim() === 'prometheus')
  return env.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' && (isFetched || ENDPOINTS.some((name) => env[name]))
}

/**
 * Starts the SDK of this process, which reads the standard variables.
 *
 * @param {(line: string) => void} log
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<{ shutdown: () => Promise<void> } | undefined>} nothing where no endpoint is named, or packages are missing
 */
export async function startSdk(log, env = process.env) {
  if (!namesEndpoint(env)) return undefined
  // Others would tell the command line, the user and the machine.
  env.OTEL_NODE_RESOURCE_DETECTORS ??= 'env'
  // Traces and logs are sent to an endpoint, and there may be none.
  for (const what of ENDPOINTS.some((name) => env[name]) ? [] : ['TRACES', 'LOGS'])
    env[`OTEL_${what}_EXPORTER`] ??= 'none'
  try {
    const { NodeSDK } = await import('@opentelemetry/sdk-node')
    const sdk = new NodeSDK({ serviceName: env.OTEL_SERVICE_NAME ?? NAME, instrumentations: [] })
    sdk.start()
    return sdk
  } catch ({ message, code }) {
    const isMissing = code === 'ERR_MODULE_NOT_FOUND'
    const why = isMissing ? 'install with: npm install @opentelemetry/api @opentelemetry/sdk-node' : message
    log(`an endpoint of OpenTelemetry is named and nothing is sent there: ${why}`)
    return undefined
  }
}

/**
 * @param {{ telemetry: boolean }} settings
 * @param {string} version of the gateway
 * @returns {Promise<Telemetry | undefined>} nothing where it is off, or the package is missing
 */
export async function openTelemetry({ telemetry }, version) {
  if (!telemetry) return undefined
  const api = await import('@opentelemetry/api').catch(() => undefined)
  return api && new Telemetry(api, version)
}

/** @typedef {Omit<import('../activity/activity.mjs').Call, 'number'>} Call */

export class Telemetry {
  #api
  #tracer
  #calls
  #durations
  #searches
  #tokens
  #up

  /** @param {typeof import('@opentelemetry/api')} api @param {string} version */
  constructor(api, version) {
    this.#api = api
    this.#tracer = api.trace.getTracer(NAME, version)
    const meter = api.metrics.getMeter(NAME, version)
    const counter = (name, unit, description) => meter.createCounter(`tool_router.${name}`, { unit, description })
    this.#calls = counter('calls', '{call}', 'calls of tools of servers, by how they ended')
    this.#searches = counter('searches', '{search}', 'searches of models, by the tool of the gateway that they called')
    this.#tokens = counter('tokens', '{token}', 'tokens of lists that clients have read, and of answers of the gateway')
    const gauge = (name, description) => meter.createObservableGauge(`tool_router.${name}`, { description })
    this.#up = {
      server: gauge('server.up', 'whether a server is there: 1, or 0 where it is down or wants a login'),
      database: gauge('database.up', 'whether the database of a team is there, 1 or 0'),
    }
    this.#durations = meter.createHistogram('tool_router.call.duration', {
      unit: 's',
      description: 'how long calls of tools of servers took',
      advice: { explicitBucketBoundaries: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100] },
    })
  }

  /**
   * Looks at what is there whenever figures are asked for.
   *
   * @param {{ servers: () => { name: string, isUp: boolean }[], database: () => boolean | undefined }} state `database`: undefined
   * where there is none
   */
  watch({ servers, database }) {
    this.#up.server.addCallback((result) => {
      for (const { name, isUp } of servers()) result.observe(Number(isUp), { 'tool_router.server': name })
    })
    this.#up.database.addCallback((result) => {
      const isUp = database()
      if (isUp !== undefined) result.observe(Number(isUp))
    })
  }

  /** A call has ended. @param {Call} call without a server it is one of the gateway's own tools */
  ended({ at, person, session, client, server, tool, ms, sent, received, outcome }) {
    if (server === '') {
      if (SEARCHES.includes(tool)) this.#searches.add(1, { 'gen_ai.tool.name': tool, 'tool_router.outcome': outcome })
    } else {
      // Tools are in spans alone: each would be a series of its own.
      const attributes = { 'tool_router.server': server, 'tool_router.outcome': outcome }
      this.#calls.add(1, attributes)
      this.#durations.record(ms / 1_000, attributes)
    }
    const span = this.#tracer.startSpan('tools/call', {
      kind: this.#api.SpanKind.SERVER,
      startTime: at,
      attributes: {
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': tool,
        ...(server !== '' && { 'tool_router.server': server }),
        'tool_router.client': client,
        ...(person !== '' && { 'tool_router.person': person }),
        ...(session !== '' && { 'tool_router.session': session }),
        'tool_router.outcome': outcome,
        'tool_router.sent_bytes': sent,
        'tool_router.received_bytes': received,
      },
    })
    if (ERRORS.includes(outcome)) span.setStatus({ code: this.#api.SpanStatusCode.ERROR })
    span.end(at + ms)
  }

  /** @param {'list' | 'answer'} kind of what a client has read @param {number} count */
  read(kind, count) {
    this.#tokens.add(count, { 'tool_router.kind': kind })
  }
}
