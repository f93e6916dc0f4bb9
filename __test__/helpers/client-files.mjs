// What the configuration files of clients mean, file by file.
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const FILES = fileURLToPath(new URL('../fixtures/config/', import.meta.url))

export const HOME = path.sep === '/' ? '/home/ada' : 'C:\\Users\\ada'

export const ENV = { API_KEY: 'key-of-the-user', CLIENT_ID: 'id-of-the-user', EMPTY: '', INPUT_PERPLEXITY_KEY: 'typed' }

export const KEY = ENV.API_KEY

/** What `${workspaceFolder}` is for a file outside of a project. */
const WORKSPACE = process.cwd()

export const project = (name) => path.join(FILES, name)

/** What each file gives: servers that are taken, then what is `off`, `out` (with its reason), and `notes`. */
export const EXPECTED = {
  'claude-desktop/claude_desktop_config.json': {
    filesystem: { run: 'npx -y @modelcontextprotocol/server-filesystem /home/ada/Documents' },
    memory: { run: 'npx -y @modelcontextprotocol/server-memory', env: { MEMORY_FILE_PATH: '/home/ada/memory.json' } },
  },
  'claude-desktop/windows.json': {
    weather: {
      run: 'cmd /c npx -y weather-server C:\\Users\\ada\\cities',
      env: { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming\\', UNITS: 'metric' },
    },
  },
  'claude-desktop/docker.json': {
    github: {
      run: 'docker run -i --rm -e GITHUB_PERSONAL_ACCESS_TOKEN example/github-server',
      env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'token-of-a-fixture' },
    },
  },
  'claude-code/.mcp.json': {
    api: { at: 'https://api.example.com/mcp', headers: { Authorization: `Bearer ${KEY}` } },
    database: { run: 'npx -y @bytebase/dbhub --dsn postgresql://localhost/shop' },
    issues: { at: 'https://mcp.example.org/sse', old: true },
    tools: { run: '/usr/bin/python3 -m tools', env: { CACHE_DIR: '/tmp' } },
  },
  'claude-code/home.json': {
    notion: { at: 'https://mcp.notion.example/mcp' },
    shell: { run: 'uvx mcp-shell' },
  },
  'cursor/.cursor/mcp.json': {
    local: {
      run: `python ${project('cursor')}/tools/server.py --home=${HOME}`,
      env: { REGION: 'eu west', API_KEY: KEY, DEBUG: '1' },
      cwd: project('cursor'),
    },
    name: { run: `node cursor${path.sep}server.js`, cwd: project('cursor/packages/server') },
  },
  'cursor/remote.json': {
    linear: { at: 'https://mcp.linear.example/mcp' },
    keyed: { at: 'https://api.example.com/mcp', headers: { 'X-Api-Key': KEY, 'X-Version': '2' } },
    oauth: {
      at: 'https://api.example.com/oauth/mcp',
      oauth: { clientId: ENV.CLIENT_ID, clientSecret: KEY, scope: 'read write' },
    },
  },
  'cursor/home.json': {
    home: {
      run: `${HOME}/bin/server ${HOME}/notes --keep=~/not-this`,
      cwd: HOME,
      env: { PLACE: '~/text' },
    },
  },
  'vscode/.vscode/mcp.json': {
    perplexity: {
      run: 'npx -y server-perplexity-ask',
      env: { PERPLEXITY_API_KEY: 'typed', REGION: 'eu' },
      cwd: project('vscode'),
    },
    files: { run: `node ./server.js ${project('vscode')}`, cwd: project('vscode') },
    github: { at: 'https://api.githubcopilot.example/mcp/' },
  },
  'vscode/settings.json': { time: { run: 'python -m mcp_server_time --local-timezone=Europe/Berlin' } },
  'vscode/sse.json': {
    old: { at: 'http://localhost:3001/sse', headers: { Version: '1.2' }, old: true },
    out: { asks: /variable INPUT_UNKNOWN to be set/, runs: /a placeholder that is understood here.*got "\$\{command:/ },
  },
  'windsurf/mcp_config.json': {
    figma: { at: 'https://mcp.figma.example/mcp', headers: { 'X-Token': KEY } },
    postgres: { run: 'npx -y server-postgres postgresql://localhost/shop', not: ['drop_table'] },
    off: ['puppeteer'],
  },
  'windsurf/team.json': { wiki: { at: 'https://wiki.example.org/sse' } },
  'gemini/settings.json': {
    files: {
      run: 'python -m files_server',
      cwd: project('gemini/mcp'),
      s: 15,
      only: ['read_file', 'run'],
      not: ['write_file'],
    },
    remote: { at: 'http://localhost:3000/mcp', headers: { Authorization: `Bearer ${KEY}` }, s: 600 },
    off: ['unlisted'],
  },
  'gemini/exclude.json': {
    docker: {
      run: 'docker run -i --rm -e API_KEY server:latest',
      env: { API_KEY: KEY, PRICE: '5$' },
      not: ['remove_image'],
      s: 3,
    },
    old: { at: 'http://localhost:8080/sse', old: true },
    off: ['hidden', 'nothing'],
  },
  'gemini/oauth.json': {
    drive: { at: 'https://drive.example.com/mcp', oauth: { clientId: 'gateway', scope: 'files.read' } },
  },
  'roo/mcp_settings.json': {
    local: { run: 'node /srv/server.js', env: { API_KEY: 'k-of-a-fixture' }, not: ['delete'], s: 300 },
    remote: { at: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer x' } },
    off: ['old'],
  },
  'roo/.roo/mcp.json': {
    build: { run: 'npm run mcp', cwd: project('roo/tools'), env: { TOKEN: KEY } },
    here: { run: 'node server.js', cwd: project('roo') },
  },
  'zoo/mcp_settings.json': {
    context7: { run: 'npx -y @upstash/context7-mcp' },
    search: { at: 'http://127.0.0.1:8123/mcp', not: ['crawl'], s: 3600 },
    out: { broken: /url: expected an http or https URL/ },
  },
  'cline/cline_mcp_settings.json': {
    local: { run: 'node /srv/a.js', env: { PORT: '3000', VERBOSE: 'true' }, s: 120 },
    remote: { at: 'https://cline.example/mcp' },
  },
  'codex/config.toml': {
    context7: { run: 'npx -y @upstash/context7-mcp', env: { API_KEY: 'k-of-a-fixture' }, startS: 20, s: 46 },
    'my files': { run: 'docs-server', cwd: path.resolve('/srv/docs'), env: { API_KEY: KEY, NOT_SET: '' } },
    off: ['off'],
  },
  'codex/remote.toml': {
    figma: {
      at: 'https://mcp.figma.example/mcp',
      headers: { 'X-Figma-Region': 'us-east-1', 'X-Client': ENV.CLIENT_ID, Authorization: `Bearer ${KEY}` },
    },
  },
  'codex/tools.toml': {
    chrome: { run: 'npx chrome-devtools-mcp@latest', only: ['open', 'screenshot'], not: ['close'], startS: 20 },
  },
  'codex/broken.toml': /^config: expected TOML, got a syntax error in line 3 of \S+$/,
  'zed/settings.json': {
    time: { run: 'uvx mcp-server-time' },
    remote: { at: 'https://zed.example/mcp', headers: { Authorization: 'Bearer x' } },
    out: { extension: /expected a command or a url, got "an entry with neither"/ },
  },
  'zed/old.json': { time: { run: 'uvx mcp-server-time', env: { TZ: 'UTC' } } },
  'opencode/opencode.json': {
    local: { run: 'npx -y my-server', env: { API_KEY: 'k-of-a-fixture' }, s: 5 },
    remote: { at: 'https://opencode.example/mcp', headers: { Authorization: 'Bearer x' } },
    off: ['later'],
  },
  'copilot-cli/mcp-config.json': {
    playwright: { run: 'npx @playwright/mcp@latest' },
    sentry: { at: 'https://mcp.sentry.example/mcp', only: ['find_issues', 'get_issue'] },
    off: ['none'],
  },
  'amazon-q/mcp.json': {
    docs: {
      run: 'uvx awslabs.aws-documentation-mcp-server@latest',
      env: { FASTMCP_LOG_LEVEL: 'ERROR' },
      s: 120,
    },
  },
  'kiro/.kiro/settings/mcp.json': {
    web: { run: 'uvx mcp-server-fetch', cwd: project('kiro'), not: ['raw'] },
    remote: { at: 'https://kiro.example/mcp', headers: { Authorization: `Bearer ${KEY}` } },
  },
  'amp/settings.json': {
    semgrep: { at: 'https://mcp.semgrep.example/mcp' },
    playwright: { run: 'npx -y @playwright/mcp@latest --headless' },
  },
  'lm-studio/mcp.json': { hf: { at: 'https://hub.example/mcp', headers: { Authorization: 'Bearer x' } } },
  'junie/mcp.json': { db: { run: 'java -jar /srv/db.jar' } },
  'qwen/settings.json': {
    py: { run: 'python server.py', s: 15 },
    sse: { at: 'http://localhost:8080/sse', old: true, not: ['x'] },
  },
  'mistakes/near-keys.json': {
    a: { run: 'node a.js' },
    out: { b: /expected a command or a url/ },
    notes: [/"disabledTool" is not read; is disabledTools meant/, /"envfile".* envFile/, /"comand".* command/],
  },
  'mistakes/one-bad.json': {
    good: { run: 'node good.js' },
    later: { run: 'node later.js' },
    out: {
      text: /expected an object, got "text"/,
      socket: /type: expected stdio/,
      unset: /variable NOT_SET to be set/,
      typo: /names of mcpServers, got "goood"/,
    },
  },
  'mistakes/placeholders.json': {
    literal: { run: 'node ${NAME} $5 ${ 50% a$b' },
    empty: { run: 'node  full ' },
    out: {
      config: /understood here.*got "\$\{config:python\.path\}"/,
      nested: /understood here.*got "one inside another"/,
      odd: /understood here/,
      'named-folder': /understood here/,
    },
  },
  'mistakes/numbers.json': {
    n: { run: 'node --port 3000 true ', env: { PORT: '3000', ON: 'false' }, s: 3600 },
    ms: { at: 'http://127.0.0.1:1/mcp', headers: { 'X-Version': '2' }, s: 4 },
  },
  'mistakes/bom.json': { a: { run: 'node' } },
  'mistakes/broken.json': /^config: expected JSON, got a syntax error in line 3 of \S+$/,
  'mistakes/two-places.json': {
    a: { run: 'first' },
    b: { run: 'third' },
    notes: [/config\.servers\["a"\]: another server has this name; the first counts/],
  },
  // Written after the reader was done.
  'claude-desktop/accounts.json': {
    'slack-work': { run: 'npx -y slack-server', env: { SLACK_TOKEN: 'work-token-of-a-fixture' } },
    'slack-club': { run: 'npx -y slack-server', env: { SLACK_TOKEN: 'club-token-of-a-fixture' } },
    remote: {
      run: 'npx mcp-remote https://remote.example/mcp --header Authorization:Bearer of-a-fixture',
      env: { AUTH_HEADER: 'Bearer of-a-fixture' },
    },
    MCP_DOCKER: { run: 'docker mcp gateway run', env: { LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local' } },
    out: { unfinished: /command: expected text of 1 to/ },
  },
  'claude-code/plugin.json': {
    api: { at: 'https://api.example.com/mcp', headers: { 'X-Key': KEY } },
    helped: { at: 'https://helped.example/mcp', helper: '/srv/get-headers.sh --json' },
    here: { run: `node ${WORKSPACE}/tools/server.js`, s: 600 },
    out: {
      bundled: /variable CLAUDE_PLUGIN_ROOT to be set/,
      socket: /type: expected stdio, http, streamable-http or sse, got "ws"/,
      host: /type: expected stdio.*got "sdk"/,
    },
  },
  'vscode/inputs.json': {
    github: { at: 'https://api.github.example/mcp/' },
    asked: { run: 'npx -y asked@latest --region=us', env: { KEY: 'typed' } },
    boxed: { run: 'node boxed.js' },
    out: {
      folder: /understood here.*got "\$\{workspaceFolder:shop\}"/,
      python: /understood here.*got "\$\{config:python/,
      socket: /expected an http or https URL, got "unix:"/,
    },
    notes: [/\.sandbox: its client runs it in a sandbox, and the gateway does not/],
  },
  'windsurf/file.json': {
    keyed: { at: 'https://keyed.example/mcp', headers: { Authorization: 'Bearer from-a-file-of-a-fixture' } },
    some: { run: 'npx -y some', env: { KEY }, not: ['drop', 'wipe'] },
  },
  'codex/objects.toml': {
    cloud: {
      run: 'cloud-server',
      env: { CLIENT_ID: ENV.CLIENT_ID, API_KEY: KEY, NOT_SET: '', REGION: 'eu' },
      startS: 45,
    },
    'team wiki': {
      at: 'https://wiki.example.org/mcp',
      headers: { Authorization: `Bearer ${KEY}` },
      only: ['search', 'read'],
      s: 90,
    },
  },
  'gemini/text.json': {
    priced: { run: `shop --label from $5 or $LATER --key=${KEY}` },
    braced: { at: 'https://braced.example/mcp', headers: { 'X-Key': KEY }, s: 30 },
    google: { at: 'https://google.example/mcp', oauth: { scope: 'cloud' } },
    out: { unset: /variable LATER to be set/, socket: /expected an http or https URL, got "tcp:"/ },
    notes: [/authProviderType: its client logs in for it by "google_credentials"/],
  },
  'opencode/switches.jsonc': {
    keyed: { at: 'https://keyed.example/mcp', headers: { Authorization: `Bearer ${KEY}` } },
    files: { run: `bun x files ${ENV.CLIENT_ID}`, env: { KEY: 'file-key-of-a-fixture' } },
    git: { run: 'uvx git-server', s: 10, not: ['push', 'delete_*'] },
    off: ['quiet'],
    out: { unset: /variable LATER to be set/ },
  },
  'zed/mixed.json': {
    local: { run: 'uvx local-server' },
    keyed: { at: 'https://keyed.example/mcp', headers: { Authorization: 'Bearer x' } },
    off: ['off'],
    out: { 'postgres-context-server': /expected a command or a url/ },
  },
  'cline/remote.json': {
    'github.com/modelcontextprotocol/servers/tree/main/src/time': { run: 'uvx mcp-server-time' },
    http: { at: 'https://http.example/mcp', s: 30 },
    events: { at: 'https://events.example/sse', old: true },
    off: ['gone'],
  },
  'roo/odd.json': {
    longest: { run: 'cmd /c npx -y longest', s: 3600 },
    events: { at: 'http://localhost:9000/sse', old: true },
    stale: { run: 'node' },
    out: { empty: /command: expected text/ },
  },
  'continue/config.yaml': {
    'SQLite MCP': { run: 'npx -y mcp-sqlite /srv/data.db', startS: 20 },
    Keyed: { at: 'https://keyed.example/mcp', headers: { Authorization: `Bearer ${KEY}` } },
    out: { Later: /variable LATER to be set/ },
  },
  'continue/config.json': {
    'server-1': { run: 'uvx mcp-server-sqlite --db-path /srv/test.db', env: { A: 'b' } },
    events: { at: 'https://events.example/sse', old: true },
  },
  'goose/config.yaml': {
    github: { run: 'npx -y github-server', env: { API_KEY: KEY, REGION: 'eu' }, s: 300, only: ['get_issue'] },
    wiki: { at: 'https://wiki.example.org/mcp', headers: { Authorization: `Bearer ${KEY}` } },
    old: { at: 'https://old.example/sse', old: true },
    off: ['unused'],
    notes: [/developer, todo: parts of goose, not servers/],
  },
  'copilot-cli/more.json': {
    http: { at: 'https://http.example/mcp', headers: { 'X-Key': KEY, 'X-Team': 'one' } },
    local: { run: 'npx -y local', env: { KEY }, only: ['a', 'b'] },
    off: ['events'],
  },
  'kiro/more.json': {
    aws: { run: 'uvx aws-server@latest', env: { FASTMCP_LOG_LEVEL: 'ERROR' }, not: ['delete_stack'] },
    remote: { at: 'https://remote.example/mcp', headers: { Authorization: `Bearer ${KEY}` } },
    off: ['fetch'],
  },
  'amazon-q/agent.json': {
    git: { run: 'git-server --stdio', s: 120, env: { TOKEN: KEY } },
    web: { at: 'https://web.example/mcp' },
  },
  'warp/mcp.json': {
    Files: { run: 'npx -y files /srv', cwd: path.resolve('/srv') },
    Sentry: { at: 'https://mcp.sentry.example/mcp' },
    notes: [/servers without mcpServers around them/],
  },
  'librechat/librechat.yaml': {
    everything: { at: 'http://localhost:3001/sse' },
    puppeteer: { run: 'npx -y puppeteer', s: 300 },
    keyed: { at: 'https://keyed.example/mcp', headers: { 'X-User': 'ada', Authorization: `Bearer ${KEY}` } },
  },
  'crush/crush.json': {
    files: { run: 'node /srv/files.js', env: { A: KEY }, s: 10 },
    wiki: { at: 'https://wiki.example.org/mcp', headers: { Authorization: `Bearer ${KEY}` } },
  },
  'shapes/list.json': {
    first: { run: 'first a' },
    second: { at: 'https://second.example/mcp' },
    'server-3': { run: 'third' },
  },
  'shapes/one.json': {
    alone: { run: 'npx -y alone', env: { GATEWAY: '1' } },
    notes: [/one server with nothing around it/],
  },
  'shapes/named-like-ours.json': {
    gateway: { run: 'a' },
    modules: { at: 'https://modules.example/mcp' },
    notes: [/servers without mcpServers around them/],
  },
  'shapes/utf16.json': { power: { run: 'pwsh -File C:\\server.ps1', env: { GREETING: 'Grüße' } } },
  'shapes/utf16-big.json': { power: { run: 'pwsh -File C:\\server.ps1', env: { GREETING: 'Grüße' } } },
  'mistakes/twice.json': {
    a: { run: 'last' },
    b: { run: 'b y' },
    notes: [
      /"b"\]: the key "args" stands there twice, again in line 4/,
      /"mcpServers"\]: the key "a" stands there twice/,
    ],
  },
  'mistakes/broken.yaml': /^config: expected YAML, got a syntax error in line \d of \S+$/,
}
