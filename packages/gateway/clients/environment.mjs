// Variables that programs commonly read from a shell, and which of them servers do not get.

/** What tools of developers read: accounts, proxies, certificates, screens, languages, and where programs are. */
const COMMON = [
  ...['AWS_PROFILE', 'AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE'],
  ...['GOOGLE_APPLICATION_CREDENTIALS', 'CLOUDSDK_CONFIG', 'AZURE_CONFIG_DIR', 'KUBECONFIG'],
  ...['DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG', 'SSH_AUTH_SOCK', 'GIT_SSH_COMMAND', 'GNUPGHOME'],
  ...['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY', 'https_proxy', 'http_proxy', 'all_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'LANG', 'LC_ALL', 'TZ', 'JAVA_HOME', 'ANDROID_HOME', 'GOPATH', 'GOROOT'],
  ...['CARGO_HOME', 'RUSTUP_HOME', 'NVM_DIR', 'PNPM_HOME', 'VOLTA_HOME', 'VIRTUAL_ENV', 'CONDA_PREFIX', 'PYTHONPATH'],
]

/** Gemini CLI keeps what looks like a secret by its name to itself. */
const KEPT_BY_GEMINI = /auth|cert|credential|key|secret|token/i

/**
 * Variables that a client gives to its servers: all, some, or those that any program needs.
 *
 * @type {Map<string, true | string[]>}
 */
const PASSED_ON = new Map(
  /** @type {[string, true | string[]][]} */ ([
    ['Claude Code', true],
    ['opencode', true],
    ['Gemini CLI', COMMON.filter((name) => !KEPT_BY_GEMINI.test(name))],
  ]),
)

/** What a client gives to its servers, as `inheritEnv` says it. */
export function passedOn(client) {
  return PASSED_ON.get(client)
}

/** Common variables that are set here. @param {NodeJS.ProcessEnv} env @param {true | string[]} [among] */
export function commonIn(env, among = true) {
  return COMMON.filter((name) => env[name] && (among === true || among.includes(name)))
}

/**
 * Common variables that are set here and that a program does not get.
 *
 * @param {Iterable<import('../downstream/downstream.mjs').ServerDefinition>} definitions
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ names: string[], servers: number }} `servers`: how many lack one
 */
export function withheld(definitions, env) {
  const set = commonIn(env)
  const names = new Set()
  let servers = 0
  for (const { transport, env: own, inherited } of definitions) {
    if (transport !== 'stdio') continue
    const lacking = set.filter((name) => !own?.has(name) && !inherited?.has(name))
    for (const name of lacking) names.add(name)
    if (lacking.length > 0) servers += 1
  }
  return { names: set.filter((name) => names.has(name)), servers }
}
