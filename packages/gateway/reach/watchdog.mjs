// Ends what the gateway started when the gateway is killed so that nothing of its own runs any more (SIGKILL, out of
// memory): a shell of a megabyte that reads from the gateway until it is gone. On Windows children end with their
// parent, by the job object of Node.js.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import process from 'node:process'

/** By this variable what a server has started is known when it has left the server's group. */
const NAME = 'ZOO_TOOL_ROUTER_SERVER'
/** What the variables of all servers of this process begin with. */
export const OF_ALL = `${NAME}=${randomUUID()}.`
let count = 0

/** @returns {[string, string]} the variable of one more server */
export function mark() {
  count += 1
  return [NAME, `${OF_ALL.slice(NAME.length + 1)}${count}`]
}

/** Keeps the groups that live; at the end of its input it ends them, as close() would. */
const SCRIPT = `
trap '' HUP INT TERM
live=' '
while read -r sign group; do
  case $sign in
    +) live="$live$group " ;;
    -) case $live in *" $group "*) live="\${live%%" $group "*} \${live#*" $group "}" ;; esac ;;
  esac
done
for group in $live; do kill -s TERM -- "-$group"; done
case $live in *[0-9]*) sleep 1 ;; esac
for group in $live; do kill -s KILL -- "-$group"; done
for file in $(grep -lsa "$1" /proc/[0-9]*/environ); do pid=\${file#/proc/}; kill -s KILL "\${pid%/environ}"; done
`

/** @type {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, null, null> | undefined} */
let watchdog

/** @param {Iterable<number>} groups */
function start(groups) {
  const { PATH } = process.env
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', OF_ALL], {
    // A session of its own: what ends the gateway's from outside does not end it.
    detached: true,
    cwd: '/',
    env: { PATH },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Without a shell there is none; and nothing of it holds the process.
  child.on('error', () => {})
  child.on('exit', () => (watchdog = watchdog === child ? undefined : watchdog))
  child.stdin.on('error', () => {})
  child.unref()
  // A pipe to a child is a socket.
  const input = /** @type {import('node:net').Socket} */ (child.stdin)
  input.unref()
  child.stdin.write([...groups].map((group) => `+ ${group}\n`).join(''))
  return child
}

/** Process groups that live. What is in it when this process is gone is ended. @implements {Iterable<number>} */
export class LivingGroups {
  #groups = new Set()

  add(group) {
    this.#groups.add(group)
    if (process.platform === 'win32') return
    if (watchdog) watchdog.stdin.write(`+ ${group}\n`)
    else watchdog = start(this.#groups)
  }

  delete(group) {
    if (this.#groups.delete(group)) watchdog?.stdin.write(`- ${group}\n`)
  }

  [Symbol.iterator]() {
    return this.#groups.values()
  }
}
