// Programs whose transcripts are read: where each keeps them, and which table reads which version.

import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { programFolder, userFolders } from '../clients/clients.mjs'
import { CLAUDE_CODE } from './readers/claude-code.mjs'
import { CLINE_MESSAGES, TASKS } from './readers/cline.mjs'
import { CODEX } from './readers/codex.mjs'
import { OPENCODE } from './readers/opencode.mjs'

/**
 * @typedef {object} Reader
 * @property {string} form what a version keeps
 * @property {RegExp} files their names
 * @property {(file: string, how: { program: string, problems: import('./problems.mjs').Problems, seen: Set<number> }) =>
 * AsyncGenerator<import('./told.mjs').Session>} read
 *
 * @typedef {{ home: string, platform: NodeJS.Platform, env: NodeJS.ProcessEnv }} Where
 *
 * @typedef {object} Program
 * @property {string} title
 * @property {import('@zoo-code/tool-router/internal').Provider} provider whose prices its requests have, where its models do not say it
 * @property {Reader[]} readers
 * @property {(where: Where) => string[]} folders
 */

/** Folders of an extension in whichever editor has it. */
const ofExtension =
  (...ids) =>
  ({ home, platform, env }) =>
    userFolders(home, programFolder(home, platform, env)).flatMap(([, folder]) =>
      ids.map((id) => path.join(folder, 'globalStorage', id, 'tasks')),
    )

/** @type {Record<string, Program>} */
export const PROGRAMS = {
  'claude-code': {
    title: 'Claude Code',
    provider: 'anthropic',
    readers: [CLAUDE_CODE],
    folders({ home, env }) {
      const given = env.CLAUDE_CONFIG_DIR?.split(',')
      return (given ?? [path.join(home, '.claude'), path.join(home, '.config', 'claude')]).map((folder) =>
        path.join(folder.trim(), 'projects'),
      )
    },
  },
  codex: {
    title: 'Codex',
    provider: 'openai-responses',
    readers: [CODEX],
    folders({ home, env }) {
      const own = env.CODEX_HOME || path.join(home, '.codex')
      return [path.join(own, 'sessions'), path.join(own, 'archived_sessions')]
    },
  },
  opencode: {
    title: 'opencode',
    provider: 'openai-chat',
    readers: [OPENCODE],
    folders({ home, env }) {
      return [path.join(env.XDG_DATA_HOME || path.join(home, '.local', 'share'), 'opencode')]
    },
  },
  cline: {
    title: 'Cline',
    provider: 'anthropic',
    readers: [CLINE_MESSAGES, TASKS],
    folders: (where) => [
      ...ofExtension('saoudrizwan.claude-dev')(where),
      ...['sessions', 'tasks'].map((name) => path.join(where.home, '.cline', 'data', name)),
    ],
  },
  'roo-code': {
    title: 'Roo Code',
    provider: 'anthropic',
    readers: [TASKS],
    folders: ofExtension('rooveterinaryinc.roo-cline', 'rooveterinaryinc.roo-code-nightly'),
  },
  'zoo-code': {
    title: 'Zoo Code',
    provider: 'anthropic',
    readers: [TASKS],
    folders: ofExtension('zoocodeorganization.zoo-code', 'zoo-code.zoo-code', 'zoocode.zoo-code'),
  },
}

export const here = () => ({ home: os.homedir(), platform: process.platform, env: process.env })
