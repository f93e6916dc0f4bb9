// What addons and runtimes need of the system that loads them, read from the files themselves: those of other platforms
// are checked too.

import { basename, join } from 'node:path'

import { OLDEST_GLIBC } from '../platforms.mjs'
import { pythonTools, ROOT, run } from './tools.mjs'

/**
 * The newest symbol versions that a system with the oldest glibc has: VS Code asks for the same libstdc++ (RHEL 8 has
 * it). GCC is libgcc's.
 */
const OLDEST_LINUX = { GLIBC: OLDEST_GLIBC, GLIBCXX: '3.4.25', CXXABI: '1.3.11', GCC: '8.0.0' }

/** Libraries that every Linux desktop and server has. */
const OF_LINUX = /^(lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so\.\d+|ld-linux-(x86-64|aarch64)\.so\.\d)$/
/** musl is one library; gcc's comes with Node itself. */
const OF_MUSL = /^(libc\.musl-(x86_64|aarch64)\.so\.1|libc\.so|libgcc_s\.so\.1|libstdc\+\+\.so\.6)$/
const OF_MACOS = /^(\/usr\/lib\/|\/System\/Library\/|@rpath\/libonnxruntime)/
/** Parts of Windows. */
const OF_WINDOWS =
  /^(kernel32|advapi32|bcrypt\w*|ntdll|ole32|shell32|userenv|ws2_32|setupapi|dbghelp|dxgi|api-ms-win-[\w-]+|ucrtbase)\.dll$/i
/** Microsoft's C++ runtime, which ONNX Runtime needs and most machines have; docs/installing.md says so. */
const OF_VISUAL_CPP = /^(msvcp140(_1)?|vcruntime140(_1)?)\.dll$/i

/** The oldest macOS of each library. ONNX Runtime's for arm64 is Microsoft's build, which is for macOS 14. */
const OLDEST_MACOS = {
  'darwin-x64': { addon: '10.15', runtime: '10.15' },
  'darwin-arm64': { addon: '11.0', runtime: '14.0' },
}

const ENTRY = { addon: 'napi_register_module_v1', runtime: 'OrtGetApiBase' }

/** Facts of libraries, in the order given; see inspect_binaries.py for what there is. */
export function inspect(files) {
  const script = join(ROOT, 'scripts', 'release', 'inspect_binaries.py')
  const lines = run(join(pythonTools(), 'python'), [script, ...files])
    .trim()
    .split('\n')
  return lines.map((line) => JSON.parse(line))
}

/**
 * What keeps a library from loading on the oldest system of its platform.
 *
 * @param {object} facts of {@link inspect}
 * @param {string} platform
 * @param {'addon' | 'runtime'} kind
 * @returns {string[]} one line each
 */
export function binaryProblems(facts, platform, kind) {
  const [os, cpu, abi] = platform.split('-')
  const name = `${platform}: ${basename(facts.path)}`
  const problems = []
  const expect = (what, expected, got) => {
    if (expected !== got) problems.push(`${name}: ${what}: expected ${expected}, got ${got}`)
  }
  expect('format', { linux: 'ELF', darwin: 'Mach-O', win32: 'PE' }[os], facts.format)
  if (problems.length > 0) return problems
  expect('architecture', cpu, facts.architecture)
  if (!facts.exports.includes(ENTRY[kind])) problems.push(`${name}: it does not export ${ENTRY[kind]}`)
  if (os === 'darwin' && isNewer(facts.minimum, OLDEST_MACOS[platform][kind]))
    problems.push(`${name}: macOS: expected ${OLDEST_MACOS[platform][kind]} or older, got ${facts.minimum}`)
  if (os === 'linux' && abi === 'gnu') {
    for (const [library, newest] of Object.entries(OLDEST_LINUX))
      if (isNewer(facts.versions[library] ?? '0', newest))
        problems.push(`${name}: ${library}: expected ${newest} or older, got ${facts.versions[library]}`)
    if (kind === 'addon') expect('stays loaded (nodelete)', true, facts.nodelete)
  }
  const known = { linux: abi === 'musl' ? OF_MUSL : OF_LINUX, darwin: OF_MACOS, win32: OF_WINDOWS }[os]
  const foreign = facts.needs.filter(
    (library) => !known.test(library) && !(kind === 'runtime' && OF_VISUAL_CPP.test(library)),
  )
  if (foreign.length > 0) problems.push(`${name}: needs ${foreign.join(', ')}, which not every system has`)
  return problems
}

/** What a line of the report says about a library. */
export function describe({ format, architecture, versions, minimum }) {
  const needs = { ELF: versions?.GLIBC && `glibc ${versions.GLIBC}`, 'Mach-O': `macOS ${minimum}` }[format]
  return [format, architecture, needs].filter(Boolean).join(', ')
}

function isNewer(version, limit) {
  return version.localeCompare(limit, 'en', { numeric: true }) > 0
}
