// Tries the gateway's page in a real browser, that of the system.
//
//   npm run test:ui -- [--only <words of a claim>] [--pictures <folder>]
//
// Prints a line per claim and exits with 1 if one does not hold. With `--pictures` it takes those of the docs instead.

import fs from 'node:fs'
import process from 'node:process'

import { readArguments } from '../arguments.mjs'
import { CLAIMS, prepare } from './claims.mjs'
import { takePictures } from './pictures.mjs'
import { openBrowser } from './stage.mjs'

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
    return (await tryAll(browser, only, say)) > 0 ? 1 : 0
  } finally {
    await browser.close()
  }
}

/** @returns {Promise<number>} how many claims do not hold */
async function tryAll(browser, only, say) {
  const stage = await prepare()
  let failed = 0
  try {
    for (const [claim, hold] of Object.entries(CLAIMS).filter(([name]) => name.includes(only))) {
      try {
        await hold({ browser, stage })
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
