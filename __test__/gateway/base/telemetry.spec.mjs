// What a gateway tells OpenTelemetry, by the SDK of its host and by its own: figures of calls, and nothing of their contents.
import { writeFileSync } from 'node:fs'
import path from 'node:path'

import { metrics, SpanStatusCode, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import test from 'ava'

import { readConfig } from '../../../packages/gateway/config/read.mjs'
import { namesEndpoint } from '../../../packages/gateway/base/telemetry.mjs'
import { folder, gateway, inProcess, odd, overHttp, startCli, unique, until } from '../../helpers/gateway.mjs'
import { bodyOf, listening } from '../../helpers/listening.mjs'

const SECRET = 'words-that-nobody-else-may-read'
const spans = new InMemorySpanExporter()
const figures = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({ exporter: figures, exportIntervalMillis: 3_600_000 })

test.before(() => {
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }))
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
})

/** The points of a metric: attributes, and its sum or count. */
async function pointsOf(name) {
  await reader.forceFlush()
  const all =
    figures
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? []
  const { dataPoints = [] } = all.find(({ descriptor }) => descriptor.name === `tool_router.${name}`) ?? {}
  return dataPoints.map(({ attributes, value }) => ({ ...attributes, value: value.count ?? value }))
}

/** One search, and calls that work, end in an error, fail, and are refused. */
async function use(client, server) {
  const call = (tool, args = {}) =>
    client.use('call_tool', { name: `mcp--${server}--${tool}`, arguments: args }).catch(() => {})
  await client.ask('mcp_load', { query: `echo ${SECRET}` })
  await call('echo', { value: SECRET })
  await call('echo', { value: SECRET })
  await call('fail_politely')
  await call('slow_report', { ms: SECRET })
}

test.serial('calls are counted and timed by server and outcome, and searches and tokens beside them', async (t) => {
  const server = unique('odd')
  const opened = await gateway(t, { mcpServers: { [server]: odd() }, gateway: { telemetry: true } })
  const client = await inProcess(t, opened)
  await client.names()
  await use(client, server)
  const of = async (name) =>
    (await pointsOf(name))
      .filter((point) => point['tool_router.server'] === server)
      .map((point) => [point['tool_router.outcome'], point.value])
      .toSorted()
  const wanted = [
    ['error', 1],
    ['ok', 2],
    ['refused', 1],
  ]
  t.deepEqual(await of('calls'), wanted)
  t.deepEqual(await of('call.duration'), wanted)
  t.deepEqual(await pointsOf('searches'), [{ 'gen_ai.tool.name': 'mcp_load', 'tool_router.outcome': 'ok', value: 1 }])
  const tokens = async () => (await pointsOf('tokens')).map((point) => point['tool_router.kind'])
  await until(t, async () => (await tokens()).length === 2, 'tokens of both kinds')
  t.deepEqual((await tokens()).toSorted(), ['answer', 'list'])
  t.true((await pointsOf('tokens')).every(({ value }) => value > 20))
})

test.serial(
  'each call is a span, which says what was called and how it ended, and no word of its contents',
  async (t) => {
    spans.reset()
    const server = unique('odd')
    const opened = await gateway(t, { mcpServers: { [server]: odd() }, gateway: { telemetry: true } })
    await use(await inProcess(t, opened), server)
    const told = spans.getFinishedSpans().map(({ name, attributes, status }) => ({ name, attributes, status }))
    t.deepEqual(
      told.map(({ attributes, status }) => [
        attributes['gen_ai.tool.name'],
        attributes['tool_router.server'],
        attributes['tool_router.outcome'],
        status.code === SpanStatusCode.ERROR,
      ]),
      [
        ['mcp_load', undefined, 'ok', false],
        ['echo', server, 'ok', false],
        ['echo', server, 'ok', false],
        ['fail_politely', server, 'error', true],
        ['slow_report', server, 'refused', false],
      ],
    )
    t.true(
      told.every(({ name, attributes }) => name === 'tools/call' && /^test/.test(attributes['tool_router.client'])),
    )
    t.true(told[1].attributes['tool_router.sent_bytes'] > SECRET.length)
    t.false(JSON.stringify(told).includes(SECRET))
  },
)

test.serial('a gateway that nobody gave an endpoint tells nothing, whatever SDK its host has', async (t) => {
  spans.reset()
  const server = unique('odd')
  const opened = await gateway(t, { mcpServers: { [server]: odd() } })
  await use(await inProcess(t, opened), server)
  t.deepEqual(spans.getFinishedSpans(), [])
})

test('the standard variables switch it on and off', (t) => {
  t.true(namesEndpoint({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c' }))
  t.true(namesEndpoint({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://c' }))
  t.false(namesEndpoint({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_SDK_DISABLED: 'true' }))
  t.false(namesEndpoint({ OTEL_EXPORTER_OTLP_ENDPOINT: '' }))
  const read = (telemetry) => readConfig({ mcpServers: {}, gateway: { telemetry } }).settings.telemetry
  t.deepEqual([read(undefined), read(true)], [false, true])
  t.throws(() => read('yes'), { code: 'ERR_INVALID_ARGUMENT', message: /gateway\.telemetry: expected true or false/ })
})

/** What a collector on loopback gets, by path. */
async function collector(t) {
  const got = new Map()
  const url = await listening(t, async (request, response) => {
    got.set(request.url, (got.get(request.url) ?? '') + (await bodyOf(request)))
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
  })
  return { url, got }
}

test.serial('on the command line the standard variables are all that it needs, for profiles too', async (t) => {
  const { url, got } = await collector(t)
  const place = folder(t)
  const file = path.join(place, 'mcp.json')
  const config = { mcpServers: { one: odd() }, profiles: { p: { servers: ['one'] } }, gateway: { dir: folder(t) } }
  writeFileSync(file, JSON.stringify(config))
  const token = 't'.repeat(32)
  const env = {
    ZOO_TOOL_ROUTER_TOKEN: token,
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=of-this-test',
  }
  const args = ['gateway', '--config', file, '--http', '127.0.0.1:0', '--lexical']
  const started = startCli(t, args, { env })
  const [, address] = await started.line(/listening on (\S+)/)
  const client = await overHttp(t, { url: `${address}/p`, token })
  await client.use('call_tool', { name: 'mcp--one--echo', arguments: { value: SECRET } })
  await client.close()
  started.child.kill('SIGTERM')
  await started.ended
  for (const [at, part] of [
    ['/v1/traces', '"echo"'],
    ['/v1/metrics', '"tool_router.calls"'],
  ]) {
    t.true(got.get(at)?.includes(part), at)
    t.true(got.get(at).includes('of-this-test'))
    t.false(got.get(at).includes(SECRET))
    t.false(got.get(at).includes(file), 'no command line')
    t.false(got.get(at).includes(token))
  }
})
