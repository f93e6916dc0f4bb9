// Tries the gateway's page in a real browser, that of the system.
//
//   npm run test:ui -- [--only <words of a claim>] [--pictures <folder>]
//
// Prints a line per claim and exits with 1 if one does not hold. With `--pictures` it takes those of the docs instead.

import fs from 'node:fs'
import process from 'node:process'

import { readArguments } from '../arguments.mjs'
import { CLAIMS, CLAIMS_OF_MANY, prepare } from './claims.mjs'
import { takePictures } from './pictures.mjs'
import { openBrowser, openStage } from './stage.mjs'

const USAGE = 'usage: npm run test:ui -- [--only <words of a claim>] [--pictures <folder>]\n'
const given = readArguments(USAGE, { only: { type: 'string', default: '' }, pictures: { type: 'string' } })
if (given) process.exitCode = await main(given.values)

async function main({ only, pictures }) {
  const say = (line) => console.log(line)
  const browser = await openBrowser()
  try {
    if (pictures !== undefined) {
      fs.mkdirSync(pictures, { recursive: true })
      await takePictures(browser, pictures, say)
      return 0
    }
    const how = { browser, only, say }
    // One after the other: a process has one catalogue.
    const failed = await tryAll(CLAIMS, prepare, how)
    return failed + (await tryAll(CLAIMS_OF_MANY, () => openStage({ many: true }), how)) > 0 ? 1 : 0
  } finally {
    await browser.close()
  }
}

/** @returns {Promise<number>} how many claims do not hold */
async function tryAll(all, open, { browser, only, say }) {
  const claims = Object.entries(all).filter(([name]) => name.includes(only))
  if (claims.length === 0) return 0
  const stage = await open()
  let failed = 0
  try {
    for (const [claim, hold] of claims) {
      try {
        await hold({ browser, stage, say })
        say(`holds  ${claim}`)
      } catch (error) {
        failed += 1
        say(`FAILS  ${claim}\n${error.message}`)
      }
    }
  } finally {
    await stage.close()
  }
  return failed
}
