/**
 * Verification of the native binary of uWebSockets.js before it is loaded. The package is a repackage, so the binary's
 * git blob hash is compared with that of the official release.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { http } from '../../core/limits/index.js'

/** Git blob hashes by platform, architecture and Node's module version: v20.41.0 for 115, v20.64.0 for 127 and 137. */
export const officialBlobs: Readonly<Record<string, string>> = {
  'linux-arm64-115': '00e7dc77cc85869b938aa5178bc81b6d6e5e6f75',
  'linux-arm64-127': 'ff5f1ef1ae63b3e9479952ad254781fbebd0d237',
  'linux-arm64-137': '3fcb57df2de492cdf74e7fe82a91c81a136062b4',
  'linux-x64-115': '168adfd82c04f7e63f179e036585735091ed9a64',
  'linux-x64-127': 'b381f645971d726b4427aac361b7be70298e6087',
  'linux-x64-137': '217a773841bbd49b412b53d7ad11937b9e99f627',
  'darwin-arm64-115': '2ce769e453459cff2b2bd3902f4616222687d169',
  'darwin-x64-115': '58376e375ede9e8379664555ad769c9260636a0e',
}

export interface UwsBinary {
  readonly platform: string
  readonly arch: string
  readonly abi: string
  readonly bytes: Uint8Array
}

/** The binary is not the official one, is missing or cannot be loaded; `message` is a sentence for the operator. */
export class UnverifiedBinary extends Error {
  override readonly name = 'UnverifiedBinary'
}

/** The file that the package loads in this process. */
export function findUwsBinary(): string {
  const entry = createRequire(import.meta.url).resolve('uWebSockets.js')
  return join(dirname(entry), `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`)
}

/** The defect of a binary as a sentence; undefined for the official one. */
export function checkUwsBinary({ platform, arch, abi, bytes }: UwsBinary): string | undefined {
  const build = `${platform}-${arch}-${abi}`
  const official = officialBlobs[build]
  const knownBuilds = Object.keys(officialBlobs).join(', ')
  if (!official) return `No official hash of uWebSockets.js is known for ${build}; known are ${knownBuilds}.`
  const actual = gitBlobHash(bytes)
  if (actual === official) return undefined
  return `The uWebSockets.js binary for ${build} has the git blob hash ${actual}, and the official one is ${official}.`
}

export function gitBlobHash(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/**
 * Verifies and loads the binary; call it before the first import of uWebSockets.js. The binary reads its header limit
 * from the environment once, while it loads, and sees only variables that the main thread set. Returns the defect of a
 * binary that is allowed nevertheless, for the log.
 */
export function prepareUws(allowUnverified: boolean, binary = findUwsBinary()): string | undefined {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(http.headerBytes)
  const { platform, arch, versions } = process
  const problem = checkUwsBinary({ platform, arch, abi: versions.modules, bytes: readBinary(binary) })
  if (problem && !allowUnverified) {
    throw new UnverifiedBinary(`${problem} Set PARLEY_ALLOW_UNVERIFIED_UWS=true to run a build of your own.`)
  }
  loadBinary(binary)
  return problem
}

/**
 * Loads the binary, or throws the reason why this system cannot. The package's own error lists Node versions, although
 * the cause is usually a C library older than the one the binary was built with.
 */
function loadBinary(path: string): void {
  try {
    createRequire(import.meta.url)(path)
  } catch (cause) {
    const neededVersion = /GLIBC_[\d.]+/.exec((cause as Error).message)?.[0].replace('_', ' ')
    const reason = neededVersion ? `it needs ${neededVersion} or newer` : (cause as Error).message
    throw new UnverifiedBinary(
      `The uWebSockets.js binary for Node ${process.versions.node} cannot be loaded on this system: ${reason}. Node 20 runs on older systems.`,
      { cause },
    )
  }
}

function readBinary(path: string): Uint8Array {
  try {
    return readFileSync(path)
  } catch (cause) {
    const detail = `uWebSockets.js has no binary for Node ${process.versions.node} on ${process.platform} ${process.arch}`
    throw new UnverifiedBinary(`${detail}. Builds are known for ${Object.keys(officialBlobs).join(', ')}.`, { cause })
  }
}
