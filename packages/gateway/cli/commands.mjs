// Every command: what it is for, what it takes, and where it is. The usage, the reading of a command line and the check of a
// page's options come from this table.

/**
 * @typedef {object} Option
 * @property {'string' | 'boolean'} type
 * @property {boolean} [multiple]
 * @property {string} [value] what its value is called
 * @property {string} [says] nothing for an option that only our other commands give
 *
 * @typedef {object} Given what a command gets
 * @property {any} values of its options
 * @property {string} name of the command
 * @property {any} operand
 * @property {string} version
 * @property {(line: string) => void} print for standard output
 * @property {(line: string) => void} say for standard error
 * @property {(gateway: any) => void} opened tells of a gateway, which is closed when the process is told to end
 *
 * @typedef {object} Command
 * @property {string} says
 * @property {string} [more] of its own usage
 * @property {string} [operand] `<x>` is needed, `[x]` may be given
 * @property {{ [name: string]: Option }} options
 * @property {(given: Given) => number | Promise<number>} [run] answers with the exit code; none for what serves
 */

/** @returns {Option} */
const flag = (says) => ({ type: 'boolean', says })
/** @returns {Option} */
const text = (value, says) => ({ type: 'string', value, says })
/** @returns {Option} */
const texts = (value, says) => ({ type: 'string', multiple: true, value, says })

const config = text('<file>', 'as your MCP client has it: JSON (also with comments), TOML or YAML')
const workspace = text(
  '<folder>',
  'what ${workspaceFolder} stands for; otherwise the project of the file, or this folder',
)
const verbose = flag('including what servers print on their standard error')
const lexical = flag('rank by terms only; no model is loaded')
const json = flag('the same as JSON')
const FILE = { config, workspace }

const OF_A_LIST = {
  profile: text(
    '<name>',
    'serve only what this profile of the file has; over HTTP each profile is also at /mcp/<name>',
  ),
  modes: text('<set>', 'modes that come with the package: coding'),
}
const tokenFile = text('<file>', 'the bearer token for --http, in a file that only you can read')
const write = flag('write it; without this it is only shown')
const undo = flag('put back what was there')
const profile = (says) => text('<name>', says)

/** @type {{ [name: string]: Command }} */
export const COMMANDS = {
  gateway: {
    says: 'Serves all MCP servers of a configuration as one, with few tools at first. The command where none is given.',
    options: {
      ...FILE,
      ...OF_A_LIST,
      lexical,
      verbose,
      http: text('<host:port>', 'Streamable HTTP on the loopback interface instead of stdio; port 0 is any'),
      'token-file': tokenFile,
      ui: flag('with --http: a page to look at, under /ui on the same address; prints where it opens once'),
      quiet: flag('say nothing of servers that start and end'),
      // Of `connect`: the folder where clients find the gateway.
      shared: { type: 'string' },
    },
  },
  connect: {
    says: 'The same for many clients: passes messages to one gateway that all share, and starts it.',
    options: { ...FILE, ...OF_A_LIST, lexical, verbose },
  },
  page: {
    says: 'Prints an address that opens the page of the gateway that clients share, or of one at --http.',
    options: {
      ...FILE,
      ...OF_A_LIST,
      lexical,
      http: text('<host:port>', 'where the gateway is'),
      'token-file': tokenFile,
    },
    run: async ({ values, version, print }) => (await import('./page.mjs')).runPage(values, version, print),
  },
  import: {
    says: 'Finds the files of installed MCP clients and shows what it would take of them.',
    options: {
      from: texts('<client>', 'only of this client; may be given again'),
      project: text('<folder>', 'the project to look in; otherwise this folder'),
      out: text('<file>', 'write one file with all of it'),
      force: flag('replace a file that is there, and keep what is its own'),
      pin: flag('tools that your clients always allow stand in the first list'),
      'inherit-env': flag('servers get the variables of your shell that their clients gave them'),
    },
    run: async ({ values, print }) => (await import('./import.mjs')).runImport(values, print),
  },
  doctor: {
    says: 'Starts each server once and says what works, what does not and why.',
    options: { ...FILE, verbose },
    run: async ({ values, print, say, opened }) => (await import('./doctor.mjs')).runDoctor(values, print, say, opened),
  },
  replay: {
    says: 'Reads the transcripts of your programs and says what their tools cost, and would cost here.',
    options: {
      from: texts(
        '<program>',
        'claude-code, codex, opencode, cline, roo-code, zoo-code, or program=folder for a copy; may be given again',
      ),
      ...FILE,
      ask: flag('start the servers of your clients and ask for their tools, as --config does those of a file'),
      tools: text('<file>', 'lists of tools that were kept, instead of servers'),
      out: text('<file>', 'write the lists that were asked'),
      force: flag('replace a file that is there'),
      lexical,
      verbose,
      json,
      sessions: text('<number>', 'how many are played, the newest; otherwise 60'),
      days: text('<number>', 'only what is that new'),
    },
    run: async ({ values, print, say, opened }) => (await import('./replay.mjs')).runReplay(values, print, say, opened),
  },
  approve: {
    says: 'Says what has changed and is withheld, or accepts the text of a hash.',
    operand: '[server[/tool[#hash]]]',
    options: { ...FILE, all: flag('accept all that have changed') },
    run: async ({ values, operand, print }) => (await import('./approve.mjs')).runApprove(values, operand, print),
  },
  audit: {
    says: 'Says who called what, the latest first: from the database, or from files where `audit` keeps them.',
    options: {
      ...FILE,
      since: text('<time>', 'how long ago it may be, as 90m, 12h or 7d; otherwise 1d'),
      person: text('<person>', 'as a line has it'),
      server: text('<server>', 'only calls of its tools'),
      tool: text('<tool>', 'only calls of a tool of this name'),
      outcome: text('<outcome>', 'begun, ok, error, refused, unavailable or failed'),
      most: text('<number>', 'how many are shown; otherwise 100'),
      json,
    },
    run: async ({ values, print }) => (await import('./audit.mjs')).runAudit(values, print),
  },
  'add-key': {
    says: 'Makes a key for a client, in the database that gateways share.',
    operand: '<name>',
    options: {
      ...FILE,
      profile: profile('what the key opens; otherwise all servers'),
      days: text('<number>', 'how long it opens; otherwise until it is revoked'),
    },
    run: runKeys,
  },
  keys: { says: 'Lists the keys of clients.', options: FILE, run: runKeys },
  'revoke-key': { says: 'Ends a key of a client.', operand: '<name>', options: FILE, run: runKeys },
  'prepare-store': {
    says: 'Makes the tables of the database, or changes them for this version.',
    options: {
      ...FILE,
      to: text('<address>', 'the database, as who owns it; otherwise that of the configuration'),
      grant: text('<user>', 'a user of the database that may use the tables and not change them'),
    },
    run: async ({ values, print }) => (await import('./prepare-store.mjs')).runPrepareStore(values, print),
  },
  'connect-client': {
    says: 'Shows what writing the gateway into the file of a client changes, and writes it.',
    operand: '<client>',
    more:
      'Clients: claude-desktop, claude-code, cursor, vscode, windsurf, codex, gemini-cli, opencode, zed, cline, roo-code, ' +
      'zoo-code, kilo-code, copilot-cli, qwen-code, kiro, lm-studio, goose.',
    options: {
      config,
      project: text('<folder>', 'the project of the client; otherwise this folder'),
      name: text('<name>', 'what the gateway is called there; otherwise gateway'),
      bridge: flag('by connect, so that all its windows and other clients share one gateway'),
      replace: flag('take out the servers that the gateway serves'),
      write,
      undo,
    },
    run: async ({ values, operand, print }) =>
      (await import('./connect-client.mjs')).runConnectClient(values, operand, print),
  },
  login: {
    says: 'Logs in to a remote server in a browser.',
    operand: '<server>',
    options: { ...FILE, 'no-browser': flag('only print the address') },
    run: async ({ values, operand, print }) => (await import('./login.mjs')).runLogin(values, operand, print),
  },
  logout: {
    says: 'Forgets the login to a remote server.',
    operand: '<server>',
    options: FILE,
    run: async ({ values, operand, print }) => (await import('./login.mjs')).runLogout(values, operand, print),
  },
}

/** Those that do nothing without the file of servers. */
export const WANTS_CONFIG = Object.keys(COMMANDS).filter(
  (name) =>
    COMMANDS[name].options.config !== undefined && !['replay', 'connect-client', 'prepare-store'].includes(name),
)

/** @param {Given} given */
async function runKeys({ values, name, operand, print }) {
  return (await import('./keys.mjs')).runKeys(values, name, operand, print)
}
