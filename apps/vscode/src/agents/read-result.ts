// Results that are too long for a model: it gets their beginning and a handle, and reads the rest by what it needs.

import type { ReadResultOptions } from '@zoo-code/tool-router'
import type * as vscode from 'vscode'

import { messageOf } from '../router'
import type { Task } from '../task/task'

export const READ_RESULT: vscode.LanguageModelChatTool = {
  name: 'read_result',
  description: 'Read more of a result that was too long: by need, JSON path or range.',
  inputSchema: {
    type: 'object',
    properties: {
      handle: { type: 'string' },
      need: { type: 'string', description: 'What you look for, in words of the result.' },
      path: { type: 'string', description: 'As $.items[3].title or $.items[?@.open==true].id.' },
      range: { type: 'string', description: 'Lines: 10-40.' },
    },
    required: ['handle'],
  },
}

/** What a model asks of a held result; a mistake comes back as what it may ask for. */
export async function readResult(task: Task, input: object): Promise<string> {
  const { handle, ...asked } = input as { handle?: unknown } & ReadResultOptions
  try {
    return await task.readResult(String(handle ?? ''), asked)
  } catch (error) {
    return messageOf(error)
  }
}
