import { agents } from './agents.mjs'
import { ask } from './ask.mjs'
import { editor } from './editor.mjs'
import { firstSight } from './first-sight.mjs'
import { gateway } from './gateway.mjs'
import { narrow } from './narrow.mjs'
import { reload } from './reload.mjs'
import { rows } from './rows.mjs'
import { running } from './running.mjs'
import { scope } from './scope.mjs'
import { settings } from './settings.mjs'
import { tryIt } from './try-it.mjs'
import { vsix } from './vsix.mjs'

/** The parts of the test, in order: later ones find the window as earlier ones leave it. */
export const PARTS = {
  'first-sight': firstSight,
  settings,
  narrow,
  scope,
  'try-it': tryIt,
  agents,
  ask,
  editor,
  gateway,
  running,
  reload,
  rows,
  vsix,
}
