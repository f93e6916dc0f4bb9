// examples/team as it stands, and pods of it outside of containers: what its files start, at ports and in folders of a test.
import { execFile, execFileSync, spawn } from 'node:child_process'
import dgram from 'node:dgram'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'

import { parse, parseAllDocuments } from 'yaml'

import { CLI, configFile, folder, LONG_MS, startCli, until } from './gateway.mjs'
import { ROOT, read } from './pages.mjs'

const manifest = (name) => parseAllDocuments(read(`examples/team/kubernetes/${name}.yaml`)).map((each) => each.toJS())
const [REPLICAS] = manifest('replicas')
const [SERVICE, NAMES, BUDGET] = manifest('service')
const [POLICY, TABLES_POLICY] = manifest('network')
const [TABLES] = manifest('tables')
const POD = REPLICAS.spec.template.spec
const container = (wanted) => POD.containers.find(({ name }) => name === wanted)

export const TEAM = {
  compose: parse(read('examples/team/compose.yaml'), { merge: true }),
  alerts: parse(read('examples/team/alerts.yaml')).groups.flatMap(({ rules }) => rules),
  kustomization: parse(read('examples/team/kustomization.yaml')),
  dockerfile: read('examples/team/Dockerfile'),
  packages: JSON.parse(read('examples/team/package.json')).dependencies,
  nginx: read('examples/team/nginx.conf'),
  places: {
    compose: read('examples/team/replicas.compose.conf'),
    kubernetes: read('examples/team/replicas.kubernetes.conf'),
  },
  replicas: REPLICAS,
  service: SERVICE,
  names: NAMES,
  budget: BUDGET,
  policy: POLICY,
  tablesPolicy: TABLES_POLICY,
  tables: TABLES,
  pod: POD,
  gateway: container('gateway'),
  proxy: container('proxy'),
}

/** What the pods of a test are given as secrets. */
export const SECRETS = {
  'database-password': 'a-password-of-this-test',
  'owner-password': 'the-password-of-the-owner',
  'gateway-token': 'a-token-of-a-test-with-some-length',
  'key-secret': 'a-secret-of-a-test-with-some-length',
}
/** The port of the gateway in its pod, and that of the proxy. */
export const PORTS = { gateway: 8411, proxy: 8080 }

const NGINX = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/opt/homebrew/bin/nginx', '/usr/bin/nginx'].find(existsSync)
/** Why there is no proxy here; undefined where there is one. */
export const NO_PROXY =
  NGINX === undefined ? 'there is no nginx here; install it with: apt-get install nginx' : undefined

/** The packages of the image: those that `npm run test:team` has installed as the Dockerfile says, otherwise those of this checkout. */
const IMAGE = process.env.TOOL_ROUTER_IMAGE
const BIN = path.join(IMAGE ?? path.join(ROOT, 'examples', 'servers', 'node_modules'), '.bin')
export const IMAGE_CLI = IMAGE === undefined ? CLI : path.join(IMAGE, '@zoo-code', 'tool-router-gateway', 'cli.mjs')

async function freePort() {
  const server = net.createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

const secretOf = ({ name, key }) => (name.endsWith('-owner') ? `owner-${key.replace(/^database-/, '')}` : key)

/** What a field of the pod gives, or a secret. */
const givenBy = ({ fieldRef, secretKeyRef }, pod) =>
  fieldRef?.fieldPath === 'metadata.name' ? pod : SECRETS[secretOf(secretKeyRef)]

/** The environment of a container: what its manifest gives it, with the address of the database of the test. */
export function environment({ env }, store, home, pod) {
  const { host, pathname, search } = new URL(store)
  const given = env.map(({ name, value, valueFrom }) => [name, value ?? givenBy(valueFrom, pod)])
  const own = { ROUTER_DATABASE: `${host}${pathname}${search}`, HOME: home }
  return { ...Object.fromEntries(given), ...own, PATH: `${BIN}${path.delimiter}${process.env.PATH}` }
}

/** The arguments of a gateway with the file and the port of the test. */
export function argumentsHere(args, file, port) {
  return args.map((each) => each.replace('/config/mcp.json', file).replace(`:${PORTS.gateway}`, `:${port}`))
}

/** The file of the example with more servers and settings, over a user of the database that is not called router. */
export function configured(t, { mcpServers = {}, gateway = {}, ...more } = {}, user = 'owner') {
  const config = JSON.parse(read('examples/team/mcp.json'))
  const servers = Object.entries(mcpServers).map(([name, entry]) => [name, { startTimeout: LONG_MS / 1000, ...entry }])
  return configFile(t, {
    ...more,
    mcpServers: { ...config.mcpServers, ...Object.fromEntries(servers) },
    gateway: { ...config.gateway, ...gateway, store: config.gateway.store.replace('//router:', `//${user}:`) },
  })
}

/** Addresses of pods by their names, as those of a cluster are resolved. */
const addresses = new Map()
let pods = 0
/** The port of all proxies: each pod has an address of its own. */
const proxyPort = await freePort()

/** What resolves names of pods. */
async function nameServer(t) {
  const socket = dgram.createSocket('udp4')
  t.teardown(() => socket.close())
  socket.on('message', (query, { port, address: asker }) => {
    const labels = []
    let at = 12
    for (; query[at] > 0; at += 1 + query[at]) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]))
    const [name, ...rest] = labels
    const { metadata, namespace = TEAM.kustomization.namespace } = TEAM.names
    const isOurs = rest.join('.') === `${metadata.name}.${namespace}.svc.cluster.local`
    const address = isOurs ? addresses.get(name) : undefined
    const isIpv4 = query.readUInt16BE(at + 1) === 1
    // A pointer to the name, its type and class, a second that it holds for, and four bytes.
    const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...(address ?? '').split('.').map(Number)]
    const answers = address !== undefined && isIpv4 ? [Buffer.from(record)] : []
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(address === undefined ? 0x8183 : 0x8180, 2)
    header.writeUInt16BE(answers.length, 6)
    socket.send(Buffer.concat([header, query.subarray(12, at + 5), ...answers]), port, asker)
  })
  await new Promise((resolve) => socket.bind(0, '127.0.0.1', () => resolve(undefined)))
  return socket.address().port
}

/** The proxy of a pod. */
async function proxy(t, ports) {
  const place = folder(t)
  // Its workers may run as another user.
  chmodSync(place, 0o755)
  const [file, places] = ['nginx.conf', 'replicas.conf'].map((name) => path.join(place, name))
  const here = (text) =>
    text
      .replace(`listen ${PORTS.proxy};`, `listen ${ports.address}:${ports.proxy};`)
      .replaceAll(`127.0.0.1:${PORTS.gateway}`, `127.0.0.1:${ports.gateway}`)
      .replace(/resolver \S+ /, `resolver 127.0.0.1:${ports.names} `)
      .replace(`:${PORTS.proxy};`, `:${ports.proxy};`)
      .replaceAll('/tmp/', `${place}/`)
      .replace('/etc/gateway/replicas.conf', places)
  writeFileSync(file, here(TEAM.nginx))
  writeFileSync(places, here(TEAM.places.kubernetes))
  const [, ...args] = TEAM.proxy.command.map((each) => each.replace('/etc/gateway/nginx.conf', file))
  const child = spawn(NGINX, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  t.teardown(() => child.kill('SIGTERM'))
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  return { child, ended: new Promise((resolve) => child.once('exit', resolve)), printed: () => said }
}

/** Whether a probe of the manifest finds what it asks for, as the kubelet asks: by the address of the pod, or in its container. */
async function holds({ httpGet, exec }, ports) {
  if (exec) {
    const [, ...args] = exec.command.map((each) => each.replace(`:${PORTS.gateway}`, `:${ports.gateway}`))
    return promisify(execFile)(process.execPath, args).then(
      () => true,
      () => false,
    )
  }
  const { status } = await fetch(`http://${ports.address}:${ports.proxy}${httpGet.path}`).catch(() => ({ status: 0 }))
  return status >= 200 && status < 400
}

/** A gateway and its proxy, as the manifest starts them: another pod, or that of a name again. */
export async function pod(t, store, file, name = `${TEAM.replicas.metadata.name}-${pods++}`) {
  const address = addresses.get(name) ?? `127.0.0.${addresses.size + 2}`
  addresses.set(name, address)
  const ports = {
    ...{ address, proxy: proxyPort, names: await nameServer(t) },
    ...{ gateway: await freePort(), metrics: await freePort() },
  }
  const home = path.join(folder(t), 'home')
  mkdirSync(home)
  const env = { ...environment(TEAM.gateway, store, home, name), OTEL_EXPORTER_PROMETHEUS_PORT: String(ports.metrics) }
  const started = startCli(t, argumentsHere(TEAM.gateway.args, file, ports.gateway), {
    env,
    stdin: 'ignore',
    cli: IMAGE_CLI,
  })
  const front = await proxy(t, ports)
  const isUp = () => started.child.exitCode === null && front.child.exitCode === null
  const probe = (container, kind) => holds(TEAM[container][`${kind}Probe`], ports)
  return {
    name,
    address,
    port: ports.proxy,
    // Not by loopback: from there it is fetched whatever the manifest says.
    metrics: `http://${address}:${ports.metrics}/metrics`,
    url: `http://${address}:${ports.proxy}/mcp`,
    token: SECRETS['gateway-token'],
    gateway: started,
    front,
    printed: () => started.stderr + front.printed(),
    probe,
    ready: () =>
      until(
        t,
        async () => {
          if (!isUp()) throw new Error(`a pod has ended: ${started.stderr}${front.printed()}`)
          return probe('proxy', 'readiness')
        },
        'the pod is ready',
      ),
    command: (...args) =>
      execFileSync(process.execPath, [IMAGE_CLI, ...args, '--config', file], { env, encoding: 'utf8' }),
    /** As the kubelet ends one: of each container what stands in the manifest first, then the signal that its image names. */
    async end() {
      await Promise.all(
        [
          [TEAM.gateway, started, 'SIGTERM'],
          [TEAM.proxy, front, 'SIGQUIT'],
        ].map(async ([{ lifecycle }, { child, ended }, signal]) => {
          const [program, ...args] = lifecycle.preStop.exec.command
          await promisify(execFile)(
            program,
            args.map((each) => String(Number(each) / 10)),
          )
          child.kill(signal)
          await ended
        }),
      )
    },
  }
}

/** What leads connections to pods, each to the next one, and none to one that ends. */
export async function service(t, pods) {
  const endpoints = [...pods]
  let turn = 0
  const server = net.createServer((socket) => {
    const { port, address } = endpoints[turn++ % endpoints.length]
    const to = net.connect({ port, host: address })
    for (const [one, other] of [
      [socket, to],
      [to, socket],
    ]) {
      one.pipe(other)
      one.on('error', () => other.destroy()).on('close', () => other.end())
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    token: SECRETS['gateway-token'],
    endpoints,
    remove: (ending) => endpoints.splice(endpoints.indexOf(ending), 1),
  }
}
