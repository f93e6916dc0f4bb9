// SPDX-License-Identifier: Apache-2.0

import { firstSight } from './first-sight.mjs'

/** The parts of the test, in order: later ones find the window as earlier ones leave it. */
export const PARTS = { 'first-sight': firstSight }
