import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'

/**
 * The command that runs npm without a shell, which `npm.cmd` would need on Windows.
 *
 * @returns {string[] | undefined} the program and its first arguments; nothing where there is no npm
 */
export function npmCommand() {
  const beside = path.dirname(process.execPath)
  const candidates = [
    // Set by `npm run`; another package manager sets it to its own program.
    /npm-cli\.c?js$/.test(process.env.npm_execpath ?? '') ? process.env.npm_execpath : undefined,
    path.join(beside, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    path.join(beside, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ]
  const script = candidates.find((file) => file !== undefined && fs.existsSync(file))
  if (script !== undefined) return [process.execPath, script]
  const onPath = process.platform !== 'win32' && spawnSync('npm', ['--version'], { stdio: 'ignore' }).status === 0
  return onPath ? ['npm'] : undefined
}
