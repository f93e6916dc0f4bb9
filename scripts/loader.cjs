'use strict'
// The source of index.js: scripts/generate.mjs fills in the constants below.

const { existsSync } = require('node:fs')
const { dirname, join } = require('node:path')
const { isNativeError } = require('node:util').types

const { modelFolder: namedModelFolder } = require('./named-model.cjs')

const NAME = '@zoo-code/tool-router'
const VERSION = '0.0.0'
const BINARY = 'tool-router'
const PLATFORMS = []
/** Platforms whose package has no ONNX Runtime. */
const WITHOUT_RUNTIME = []
/** The oldest glibc that the Linux binaries run with. */
const OLDEST_GLIBC = '0.0'

// Filled in from scripts/platforms.mjs:
function glibcVersion() {}
function hostPlatform() {}

/** An error in the one shape of this package. */
function routerError(code, message, cause) {
  const error = new Error(message, cause && { cause })
  error.name = 'ToolRouterError'
  error.code = code
  return error
}

/** Passes on what a promise settles with. Never rejects, whatever the promise and its error do when looked at. */
async function settle(promise, onValue, onError) {
  try {
    onValue(await promise)
  } catch (error) {
    onError(messageOf(error))
  }
}

/** The text of what was thrown, if it is text or an error with a text of its own: anything else may run foreign code. */
function messageOf(error) {
  try {
    if (typeof error === 'string') return error
    const message = isNativeError(error) ? Object.getOwnPropertyDescriptor(error, 'message')?.value : undefined
    return typeof message === 'string' ? message : undefined
  } catch {
    return undefined
  }
}

/** The addon, and the folder that ONNX Runtime is in. */
function load(platform) {
  const file = `${BINARY}.${platform}.node`
  const built = join(__dirname, file)
  // Built in this checkout: its runtime is in the folder of the platform package.
  if (existsSync(built)) return { addon: open(built), runtime: join(__dirname, 'npm', platform) }
  if (!PLATFORMS.includes(platform)) {
    const message = `there is no build of ${NAME} for ${platform}; builds exist for ${PLATFORMS.join(', ')}`
    throw routerError('ERR_PLATFORM_UNSUPPORTED', message)
  }
  const name = `${NAME}-${platform}`
  let manifest
  try {
    manifest = require.resolve(`${name}/package.json`)
  } catch (cause) {
    const step = 'install this package on the platform where it runs, with its optional dependencies, and unbundled'
    throw routerError('ERR_ADDON_LOAD', `the package ${name} is not installed; ${step}`, cause)
  }
  const { version } = require(manifest)
  if (version !== VERSION) {
    const message = `${name} is ${version}, expected ${VERSION}; install both again in one step`
    throw routerError('ERR_ADDON_LOAD', message)
  }
  const runtime = unpacked(dirname(manifest))
  return { addon: open(join(runtime, file)), runtime }
}

function open(file) {
  try {
    return require(file)
  } catch (cause) {
    const said = String(cause.message).split('\n')[0]
    throw routerError('ERR_ADDON_LOAD', `the system's loader refuses ${file} (${said}); ${nextStep(said)}`, cause)
  }
}

/** What to do about what the system's loader said. */
function nextStep(said) {
  const asked = /GLIBC_([\d.]+)' not found/.exec(said)?.[1]
  if (!asked) return 'install the package again'
  // A binary built on this or another machine, not a published one, may ask for more.
  const isMore = asked.localeCompare(OLDEST_GLIBC, 'en', { numeric: true }) > 0
  return `this system has glibc ${glibcVersion()}, expected ${isMore ? asked : OLDEST_GLIBC} or later; run it on a newer system`
}

/**
 * Electron's archives are folders to JavaScript alone: what native code opens lies beside them, where packing has put it
 * (docs/installing.md).
 */
function unpacked(folder) {
  const beside = folder.replace(/\.asar(?=[\\/]|$)/, '.asar.unpacked')
  return beside !== folder && existsSync(beside) ? beside : folder
}

/** The same for folders and files that a host names. */
function takeUnpacked({ prototype }) {
  const { loadModel } = prototype
  const names = ['modelDir', 'runtimePath', 'modelCacheDir']
  prototype.loadModel = function (...given) {
    const inside = names.filter((name) => {
      const path = fieldOf(given[0], name)
      return typeof path === 'string' && unpacked(path) !== path
    })
    if (inside.length === 0) return loadModel.apply(this, given)
    const [options, ...rest] = given
    const paths = Object.fromEntries(inside.map((name) => [name, unpacked(options[name])]))
    return loadModel.call(this, { ...options, ...paths }, ...rest)
  }
}

/** The model package, installed or in this checkout; undefined when there is none. */
function modelFolder() {
  try {
    return unpacked(dirname(require.resolve(`${NAME}-model/package.json`)))
  } catch {
    const checkout = join(__dirname, 'npm', 'model')
    return existsSync(checkout) ? checkout : undefined
  }
}

/** Where no runtime is to be had as a package, installing again does not help: the error says what does. */
function explainMissingRuntime({ prototype }, platform) {
  const { loadModel } = prototype
  const step = `pass the system's own as runtimePath, or vectors through setEmbedder (docs/installing.md)`
  prototype.loadModel = function (...given) {
    return loadModel.apply(this, given).catch((error) => {
      if (error.code === 'ERR_RUNTIME_NOT_FOUND' && given[0]?.runtimePath === undefined)
        error.message = `${NAME} has no ONNX Runtime for ${platform}; ${step}`
      throw error
    })
  }
}

/** Lets `signal` of a method's options end a call. Where the call has taken effect already, its answer counts. */
function takeSignal({ prototype }, addon, name, at) {
  const call = prototype[name]
  prototype[name] = function (...given) {
    // No more than the method takes: what follows is ours.
    const args = Array.from({ length: at + 1 }, (_, index) => given[index])
    const signal = fieldOf(args[at], 'signal')
    if (signal === undefined) return call.apply(this, args)
    return whileNotAborted(addon, signal, `${name}.signal`, (mark) => call.call(this, ...args, mark))
  }
}

/** A field of options; undefined also where it cannot be read, which the addon then says in its own way. */
function fieldOf(options, name) {
  try {
    return options !== null && typeof options === 'object' ? options[name] : undefined
  } catch {
    return undefined
  }
}

async function whileNotAborted(addon, signal, at, start) {
  checkSignal(signal, at)
  signal.throwIfAborted()
  const mark = addon.__call()
  let abort
  const aborted = new Promise((_, reject) => {
    abort = () => addon.__cancel(mark) && reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([start(mark), aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** An `AbortSignal` of another realm is one too. */
function checkSignal(signal, at) {
  if (typeof signal?.throwIfAborted === 'function' && typeof signal.addEventListener === 'function') return
  throw routerError(
    'ERR_INVALID_ARGUMENT',
    `${at}: expected an AbortSignal, got ${signal === null ? 'null' : typeof signal}`,
  )
}

/** Finds, and where the host says so downloads, a model that is given by its name. */
function takeNamedModels({ prototype }, addon) {
  const { loadModel } = prototype
  prototype.loadModel = function (options) {
    if (fieldOf(options, 'model') === undefined) return loadModel.call(this, options)
    return loadNamed(options, addon, (found) => loadModel.call(this, found))
  }
}

async function loadNamed(given, addon, load) {
  let options
  try {
    options = { ...given }
  } catch {
    return load(given) // what cannot be read is refused there
  }
  const { model, modelDir, download, modelCacheDir, signal } = options
  if (modelDir !== undefined)
    throw routerError('ERR_INVALID_ARGUMENT', 'loadModel.modelDir: expected nothing beside model, got a folder')
  if (signal !== undefined) checkSignal(signal, 'loadModel.signal')
  signal?.throwIfAborted()
  const known = JSON.parse(addon.__namedModel(model))
  const folder = await namedModelFolder(known, { download, modelCacheDir, signal }, routerError)
  return load({ ...options, modelDir: folder })
}

/**
 * Lets a host load a model without waiting: an unhandled rejection must not crash the process, as Node does with a
 * rejection. It is told by `status.lastError`; whoever waits for the promise is told by its rejection as well.
 */
function keepFailures({ prototype }, names) {
  let failure
  for (const name of names) {
    const call = prototype[name]
    prototype[name] = function (...given) {
      const setting = call.apply(this, given)
      setting.then(
        () => {
          failure = undefined
        },
        (error) => {
          if (error?.name === 'ToolRouterError') failure = `${error.code}: ${error.message}`
        },
      )
      return setting
    }
  }
  const { get, ...property } = Object.getOwnPropertyDescriptor(prototype, 'status')
  Object.defineProperty(prototype, 'status', {
    ...property,
    get() {
      const status = get.call(this)
      return failure === undefined ? status : { lastError: failure, ...status }
    },
  })
}

/** The classes of the addon, ready for use. */
function start() {
  const platform = hostPlatform()
  const { addon, runtime } = load(platform)
  // The timers are taken now: tests replace the global ones by fakes that never fire.
  addon.__setAssetFolders(runtime, modelFolder(), { setInterval, clearInterval, settle })
  if (WITHOUT_RUNTIME.includes(platform)) explainMissingRuntime(addon.ToolRouter, platform)
  takeSignal(addon.ToolRouter, addon, 'loadModel', 0)
  takeSignal(addon.ToolRouter, addon, 'setEmbedder', 1)
  takeSignal(addon.ToolRouter, addon, 'ready', 0)
  takeNamedModels(addon.ToolRouter, addon)
  takeUnpacked(addon.ToolRouter)
  keepFailures(addon.ToolRouter, ['loadModel', 'setEmbedder'])
  // Ending the process under a computation of the model would crash it.
  process.once('exit', (code) => addon.__leave(code))
  return addon
}

/** In the place of the classes where there is no addon: whoever uses one is told why. */
function standIns({ code, message, cause }) {
  const refuse = () => {
    // A new one each time: its stack is the caller's.
    throw routerError(code, message, cause)
  }
  class ToolRouter {
    constructor() {
      refuse()
    }
    static shared() {
      refuse()
    }
    static acceptedSchema() {
      refuse()
    }
    static compactSchema() {
      refuse()
    }
  }
  class Session {
    constructor() {
      refuse()
    }
  }
  return { ToolRouter, Session }
}

// Requiring this package never throws: a host that imports it at its top goes on where there is no addon.
let classes
let loadError
try {
  classes = start()
} catch (error) {
  loadError = error.name === 'ToolRouterError' ? error : routerError('ERR_ADDON_LOAD', error.message, error)
  classes = standIns(loadError)
}

module.exports.ToolRouter = classes.ToolRouter
module.exports.Session = classes.Session
module.exports.loadError = loadError
