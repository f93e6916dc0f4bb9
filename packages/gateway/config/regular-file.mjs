// The bytes of a file that a configuration names. Whoever wrote it may name a device that never ends, or a pipe that
// nobody writes to: neither is read, and of what is read no more than its bound is taken, whatever its size is said to be.

import fs from 'node:fs'

/** Bytes of a configuration file: Claude Code keeps what was typed in its own, and that grows. */
export const MAX_OF_CONFIG = 32 * 1024 * 1024
/** Without it, opening a pipe waits for somebody who writes to it. Windows has neither. */
const FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0)
/** Bytes of one reading: the size that is told may be 0 for a file that has some. */
const PART = 65_536

/** Why a file is not read; the message is for a person. */
class NotRead extends Error {}

/**
 * @param {string} file
 * @param {number} most bytes
 * @returns {Buffer}
 * @throws for what is no regular file, has more bytes, or cannot be read
 */
export function readRegular(file, most) {
  const open = fs.openSync(file, FLAGS)
  try {
    const stat = fs.fstatSync(open)
    if (!stat.isFile()) throw new NotRead(kindOf(stat))
    if (stat.size > most) throw new NotRead(`${stat.size} bytes, where ${most} are the most`)
    const parts = []
    for (let size = 0; ; ) {
      const part = Buffer.allocUnsafe(PART)
      const read = fs.readSync(open, part)
      if (read === 0) return Buffer.concat(parts)
      size += read
      if (size > most) throw new NotRead(`more than ${most} bytes`)
      parts.push(part.subarray(0, read))
    }
  } finally {
    fs.closeSync(open)
  }
}

/** What went wrong, in words: a code of the system's, or what the file is. @param {any} error */
export const whyNotRead = (error) => error.code ?? error.message

export const isFile = (file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true

/** @param {fs.Stats} stat */
function kindOf(stat) {
  if (stat.isDirectory()) return 'a folder'
  if (stat.isFIFO()) return 'a pipe'
  return stat.isCharacterDevice() || stat.isBlockDevice() ? 'a device' : 'no regular file'
}
