// examples/team without anything started: what its files name exists, and they agree with each other, with the gateway and the docs.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import test from 'ava'

import { readConfigFile } from '../../packages/gateway/config/read.mjs'
import { run } from '../helpers/child.mjs'
import { CLI } from '../helpers/gateway.mjs'
import { GUIDES, ROOT, read, section } from '../helpers/pages.mjs'
import { PORTS, TEAM } from '../helpers/team.mjs'

const page = GUIDES.find(({ name }) => name === 'docs/team.md')
const { compose, gateway, kustomization, packages, pod, proxy, replicas } = TEAM
const [job] = TEAM.tables.spec.template.spec.containers
const manifest = JSON.parse(read('package.json'))
const services = Object.entries(compose.services)
const gateways = services.filter(([name]) => name.startsWith('gateway')).map(([, service]) => service)
const proxies = services.filter(([name]) => name.startsWith('proxy')).map(([, service]) => service)
const constant = (file, name) => Number(new RegExp(`const ${name} = ([\\d_]+)`).exec(read(file))[1].replaceAll('_', ''))

test('the gateways of the compose file have a plain role, not the superuser that the image makes', (t) => {
  const { environment, volumes } = compose.services.database
  const [, role] = /"store": "postgres:\/\/(\w+):/.exec(read('examples/team/mcp.json'))
  t.not(environment.POSTGRES_USER ?? 'postgres', role)
  t.true(volumes.some((volume) => volume.startsWith('./role.sh:/docker-entrypoint-initdb.d/')))
  const [roles, { tables }] = [read('examples/team/role.sh'), compose.services]
  for (const args of [tables.command, job.args]) {
    const [, , address, , granted] = args
    const [, owner] = /^postgres:\/\/(\w+):/.exec(address)
    t.is(granted, role)
    t.not(owner, role)
    for (const each of [owner, role]) t.regex(roles, new RegExp(`create role ${each} login nosuperuser nobypassrls`))
    t.regex(roles, new RegExp(`create database router owner ${owner};`))
  }
  // Gateways wait for it, and do not have the password of the owner.
  for (const { depends_on: after, environment: own } of gateways) {
    t.deepEqual(after, { tables: { condition: 'service_completed_successfully' } })
    t.false('ROUTER_OWNER_PASSWORD' in own)
  }
  t.false(gateway.env.some(({ name }) => name.includes('OWNER')))
})

test('figures can be fetched from outside of the container that has them', (t) => {
  const hosts = [
    ...gateways.map(({ environment }) => environment),
    Object.fromEntries(gateway.env.map(({ name, value }) => [name, value])),
  ]
  for (const { OTEL_EXPORTER_PROMETHEUS_HOST: host } of hosts) t.is(host, '0.0.0.0')
})

test('versions are whole, those of this package and of what it is tested with, and no image is the latest one', (t) => {
  const { '@zoo-code/tool-router-gateway': version, ...others } = packages
  t.is(version, manifest.version)
  const tested = { ...JSON.parse(read('examples/servers/package.json')).dependencies, ...manifest.devDependencies }
  for (const [name, pinned] of Object.entries(others)) t.is(pinned, tested[name], name)
  const bases = [...TEAM.dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
  const [built] = kustomization.images
  const images = [...bases, ...services.map(([, { image }]) => image), ...pod.containers.map(({ image }) => image)]
  for (const image of [...images, `${built.newName}:${built.newTag}`]) t.regex(image, /:\d[\w.-]*$/)
  const own = `${built.name}:${version}`
  const ours = [...gateways, compose.services.tables, gateway, job].map(({ image }) => image)
  t.deepEqual(new Set(ours), new Set([own]))
  t.is(built.newTag, version)
  for (const { 1: named } of [
    ...TEAM.dockerfile.matchAll(/--tag (\S+)/g),
    ...page.text.matchAll(/example\/(\S+:\S+)/g),
  ])
    if (named.startsWith(built.name)) t.is(named, own)
  t.deepEqual(new Set(proxies.map(({ image }) => image)), new Set([proxy.image]))
})

test('the gateways are started with options that it has, on loopback, at the port that all others ask', async (t) => {
  const { stdout } = await run([CLI, 'gateway', '--help'])
  t.regex(TEAM.dockerfile, /^ENTRYPOINT \["tool-router-gateway"\]$/m)
  for (const args of [...gateways.map(({ command }) => command), gateway.args]) {
    t.deepEqual(args, gateway.args)
    for (const option of args.filter((each) => each.startsWith('-'))) t.regex(stdout, new RegExp(`${option} `), option)
    t.is(args.at(-1), `127.0.0.1:${PORTS.gateway}`)
  }
  const asked = [...TEAM.nginx.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port))
  t.deepEqual(new Set(asked), new Set([PORTS.gateway]))
  for (const { healthcheck } of gateways) t.true(healthcheck.test.at(-1).includes(`127.0.0.1:${PORTS.gateway}/ready`))
  const [, listens] = /listen (\d+);/.exec(TEAM.nginx)
  t.is(Number(listens), PORTS.proxy)
  const [{ name, containerPort }] = proxy.ports
  t.deepEqual([name, containerPort, TEAM.service.spec.ports[0].targetPort], ['http', PORTS.proxy, 'http'])
  t.is(TEAM.policy.spec.ingress[0].ports[0].port, 'http')
  for (const { exec } of [gateway.startupProbe, gateway.livenessProbe])
    t.true(exec.command.at(-1).includes(`127.0.0.1:${PORTS.gateway}/health`))
  const published = proxies.map(({ ports }) => ports[0])
  for (const port of published) t.regex(port, new RegExp(`^127\\.0\\.0\\.1:\\d+:${PORTS.proxy}$`))
  t.is(new Set(published).size, gateways.length)
  t.deepEqual(
    gateways.map(({ network_mode: mode }) => mode),
    services.filter(([each]) => each.startsWith('proxy')).map(([each]) => `service:${each}`),
  )
})

test('the configuration is one, has its servers from the image, and no file has a password or a token', (t) => {
  const env = {
    ROUTER_PASSWORD: 'hidden-one',
    ROUTER_DATABASE: 'database:5432/router',
    ROUTER_KEY_SECRET: 'sixteen letters.',
  }
  const { settings, servers, leftOut } = readConfigFile(join(ROOT, 'examples/team/mcp.json'), { env })
  t.is(settings.store.whole, 'postgres://router:hidden-one@database:5432/router')
  t.deepEqual(leftOut, [])
  for (const [, { command }] of servers) {
    t.notRegex(command, /^np[mx]$/)
    t.true(
      existsSync(join(ROOT, 'examples/servers/node_modules/.bin', command)) ||
        !existsSync(join(ROOT, 'examples/servers/node_modules')),
    )
  }
  const secret = (value) => /^\$\{\w+:\?/.test(value)
  for (const { environment } of gateways)
    t.deepEqual(
      Object.entries(environment)
        .filter(([, value]) => secret(value))
        .map(([name]) => name),
      ['ROUTER_PASSWORD', 'ZOO_TOOL_ROUTER_TOKEN', 'ROUTER_KEY_SECRET'],
    )
  // The database of the compose file is in its own network.
  const own = gateway.env.map(({ name }) => name).filter((name) => name !== 'NODE_EXTRA_CA_CERTS')
  t.deepEqual(Object.keys(gateways[0].environment).toSorted(), own.toSorted())
  for (const container of [gateway, job]) {
    const file = container.env.find(({ name }) => name === 'NODE_EXTRA_CA_CERTS').value
    t.true(container.volumeMounts.some(({ mountPath }) => file.startsWith(`${mountPath}/`)))
  }
  const refs = [...gateway.env, ...job.env].flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? [])
  t.is(refs.length, 4)
  // They are made by the lines of the page, which say how servers get theirs, too.
  const made = section(page, 'On Kubernetes').replaceAll(/ \\\n\s*/g, ' ')
  for (const { name, key } of refs)
    t.regex(made, new RegExp(`kubectl create secret generic ${name} --namespace tool-router .*--from-literal=${key}=`))
  t.true(made.includes(gateway.envFrom[0].secretRef.name))
})

test('calls have the time to be answered before anything is killed, and the proxy ends before its gateway', (t) => {
  const [drainMs, closeMs] = ['DRAIN_MS', 'CLOSE_MS'].map((name) => constant('packages/gateway/cli.mjs', name))
  const waits = ({ lifecycle }) => Number(lifecycle.preStop.exec.command[1])
  t.true(waits(proxy) < waits(gateway))
  const neededS = (drainMs + closeMs) / 1000
  t.true(pod.terminationGracePeriodSeconds >= waits(gateway) + neededS)
  for (const { stop_grace_period: period } of [...gateways, ...proxies]) t.true(Number.parseInt(period, 10) >= neededS)
  const [, nginxS] = /worker_shutdown_timeout (\d+)s/.exec(TEAM.nginx)
  t.true(Number(nginxS) > drainMs / 1000 && pod.terminationGracePeriodSeconds >= waits(proxy) + Number(nginxS))
  // A stream may be silent for as long as the longest call.
  const [, readS] = /proxy_read_timeout (\d+)s/.exec(TEAM.nginx)
  t.true(Number(readS) > constant('packages/gateway/config/spelling.mjs', 'MAX_TIMEOUT_S'))
  const [, largest] = /client_max_body_size (\d+)m/.exec(TEAM.nginx)
  const { settings } = readConfigFile(join(ROOT, 'examples/team/mcp.json'), {
    env: { ROUTER_PASSWORD: 'x', ROUTER_DATABASE: 'd/r', ROUTER_KEY_SECRET: 'sixteen letters.' },
  })
  t.is(Number(largest) * 1024 * 1024, settings.maxMessageBytes)
})

test('containers may do little: no root, no rights, and nothing to write to but an empty folder', (t) => {
  t.like(pod, { automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } })
  t.is(pod.securityContext.seccompProfile.type, 'RuntimeDefault')
  for (const { name, securityContext, resources, volumeMounts } of pod.containers) {
    t.like(securityContext, { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true }, name)
    t.deepEqual(securityContext.capabilities, { drop: ['ALL'] }, name)
    t.true(securityContext.runAsUser > 0 && resources.limits.memory !== undefined, name)
    const written = volumeMounts.filter(({ readOnly }) => !readOnly)
    t.deepEqual(
      written.map(({ mountPath }) => mountPath),
      ['/tmp'],
      name,
    )
    t.deepEqual(pod.volumes.find((each) => each.name === written[0].name).emptyDir, {}, name)
  }
  t.true(new RegExp(`^USER ${gateway.securityContext.runAsUser}$`, 'm').test(TEAM.dockerfile))
  for (const each of [...gateways, ...proxies])
    t.deepEqual([each.read_only, each.cap_drop, each.tmpfs], [true, ['ALL'], ['/tmp']])
  for (const [, path] of TEAM.nginx.matchAll(/(?:_temp_path|^pid) (\S+);/gm)) t.regex(path, /^\/tmp\//)
})

test('what is selected, mounted and listed is there', (t) => {
  const { labels } = replicas.spec.template.metadata
  for (const selected of [
    replicas.spec.selector.matchLabels,
    TEAM.names.spec.selector,
    TEAM.service.spec.selector,
    TEAM.budget.spec.selector.matchLabels,
    TEAM.policy.spec.podSelector.matchLabels,
    pod.topologySpreadConstraints[0].labelSelector.matchLabels,
  ])
    t.deepEqual(selected, labels)
  t.deepEqual(TEAM.tablesPolicy.spec.podSelector.matchLabels, TEAM.tables.spec.template.metadata.labels)
  for (const file of kustomization.resources) t.true(existsSync(join(ROOT, 'examples/team', file)), file)
  const [{ name, files }] = kustomization.configMapGenerator
  t.is(pod.volumes.find(({ configMap }) => configMap).configMap.name, name)
  for (const written of files) {
    const [key, file = key] = written.split('=')
    t.true(existsSync(join(ROOT, 'examples/team', file)), file)
    const mounted = pod.containers.flatMap(({ volumeMounts }) => volumeMounts).find(({ subPath }) => subPath === key)
    t.true(mounted.mountPath.endsWith(`/${key}`))
    const volumes = services.flatMap(([, each]) => each.volumes ?? [])
    t.true(volumes.includes(`./${file.replace('kubernetes', 'compose')}:${mounted.mountPath}:ro`), file)
  }
})

test('what leaves a pod goes to names, the database and the internet over TLS, and the job reaches the database alone', (t) => {
  const [names, database, others, internet] = TEAM.policy.spec.egress
  t.deepEqual(
    names.ports.map(({ port, protocol }) => [port, protocol]),
    [
      [53, 'UDP'],
      [53, 'TCP'],
    ],
  )
  const host = gateway.env.find(({ name }) => name === 'ROUTER_DATABASE').value
  const [, space, port] = /^\w+\.(\w+)\.svc:(\d+)\//.exec(host)
  t.deepEqual(database.ports, [{ port: Number(port) }])
  t.is(database.to[0].namespaceSelector.matchLabels['kubernetes.io/metadata.name'], space)
  const [, own] = TEAM.policy.spec.ingress[0].from
  t.deepEqual(others, { to: [own], ports: [{ port: PORTS.proxy }] })
  t.deepEqual(own.podSelector, TEAM.policy.spec.podSelector)
  t.deepEqual(internet.ports, [{ port: 443 }])
  // The address at which clouds give machines their keys.
  t.true(internet.to[0].ipBlock.except.includes('169.254.0.0/16'))
  t.deepEqual(TEAM.tablesPolicy.spec.egress, [names, database])
  t.is(TEAM.tablesPolicy.spec.ingress, undefined)
  t.deepEqual([TEAM.policy.spec.policyTypes, TEAM.tablesPolicy.spec.policyTypes], Array(2).fill(['Ingress', 'Egress']))
  t.is(job.env.find(({ name }) => name === 'ROUTER_DATABASE').value, host)
})

test('each replica has the name by which the proxies find it, and they look for no others', (t) => {
  const named = (places) => new RegExp(/"~(\^\S+\$)"/.exec(places)[1])
  const [here, there] = [named(TEAM.places.compose), named(TEAM.places.kubernetes)]
  const names = services.filter(([each]) => each.startsWith('gateway')).map(([, { environment }]) => environment)
  t.deepEqual(
    names.map(({ ZOO_TOOL_ROUTER_REPLICA: name }) => name),
    services.filter(([each]) => each.startsWith('proxy')).map(([each]) => each),
  )
  for (const { ZOO_TOOL_ROUTER_REPLICA: name } of names) t.regex(name, here)
  for (const wrong of ['database', 'proxy-1.example', '127.0.0.1', '-'])
    for (const each of [here, there]) t.notRegex(wrong, each)
  t.is(replicas.kind, 'StatefulSet')
  t.regex(`${replicas.metadata.name}-0`, there)
  const { valueFrom } = gateway.env.find(({ name }) => name === 'ZOO_TOOL_ROUTER_REPLICA')
  t.is(valueFrom.fieldRef.fieldPath, 'metadata.name')
  const { metadata, spec } = TEAM.names
  t.is(replicas.spec.serviceName, metadata.name)
  t.is(spec.clusterIP, 'None')
  t.true(
    TEAM.places.kubernetes.includes(
      `$replica.${metadata.name}.${kustomization.namespace}.svc.cluster.local:${PORTS.proxy};`,
    ),
  )
  t.true(TEAM.places.compose.includes(`$replica:${PORTS.proxy};`))
  for (const places of Object.values(TEAM.places)) t.true(places.includes(`default 127.0.0.1:${PORTS.gateway};`))
})

test('the commands of the tables have options that exist', async (t) => {
  const { stdout } = await run([CLI, 'prepare-store', '--help'])
  for (const args of [compose.services.tables.command, job.args])
    for (const option of args.filter((each) => each.startsWith('-'))) t.regex(stdout, new RegExp(`${option} `), option)
})
