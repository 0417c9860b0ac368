/** Checks of the doctor on this machine: the program, its limits, the data folder, its key and its disk. */
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { http, doctor as limits } from '../../core/limits/index.js'
import type { Config } from '../config/config.js'
import { prepareUws } from '../http/binary.js'
import { loadOrCreateSecretKey, secretKeyFileName } from '../secrets/rootkey.js'
import { checkKeysOf } from '../secrets/rotation.js'
import { checkDataFile } from '../store/datafile.js'
import { dataFileName, freeBytesAt } from '../store/directory.js'
import { store as storeLimits } from '../store/limits.js'
import { ownerOf } from '../store/lock.js'
import type { Check, Finding } from './finding.js'
import { formatBytes } from './output.js'

const minNodeVersion = [20, 19] as const

export const hostChecks: readonly Check[] = [
  checkProgram,
  checkHttpServer,
  openFiles,
  dataFolder,
  dataFile,
  rootKey,
  disk,
]

/** Tests pass `version`. */
export function checkProgram(_config: unknown, _env: unknown, version: string = process.versions.node): Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNewEnough = major > minNodeVersion[0] || (major === minNodeVersion[0] && minor >= minNodeVersion[1])
  const detail = `Node.js ${version}`
  if (isNewEnough) return [{ check: 'program', status: 'ok', detail }]
  return [{ check: 'program', status: 'fail', detail, advice: `Use ${minNodeVersion.join('.')} or newer` }]
}

/** Can this Node on this system load the HTTP server? Tests pass `prepare`. */
export function checkHttpServer({ allowUnverifiedUws }: Config, _env?: unknown, prepare = prepareUws): Finding[] {
  const check = 'http server'
  try {
    const unverified = prepare(allowUnverifiedUws)
    if (unverified) return [{ check, status: 'warn', detail: unverified }]
    return [{ check, status: 'ok', detail: 'uWebSockets.js loads' }]
  } catch (error) {
    return [{ check, status: 'fail', detail: (error as Error).message.replace(/\.$/, '') }]
  }
}

/** Empty on systems without `/proc`. */
function openFiles(): Finding[] {
  const check = 'open files'
  const limitText = textOf('/proc/self/limits')?.match(/^Max open files\s+(\d+|unlimited)/m)?.[1]
  if (limitText === undefined) return []
  const maxFiles = limitText === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limitText)
  const detail = `up to ${limitText}`
  if (maxFiles >= http.socketsTotal) return [{ check, status: 'ok', detail }]
  const advice = `A node holds up to ${http.socketsTotal} sockets: raise \`ulimit -n\``
  return [{ check, status: 'warn', detail, advice }]
}

function dataFolder({ dataDir }: Config): Finding[] {
  const check = 'data folder'
  const dir = resolve(dataDir)
  if (!existsSync(dir)) {
    const parent = nearestFolder(dir)
    if (canWrite(parent)) return [{ check, status: 'ok', detail: `${dir} is not there yet; a node makes it` }]
    return [
      {
        check,
        status: 'fail',
        detail: `${dir} is not there, and ${parent} cannot be written to`,
        advice: permissionAdvice,
      },
    ]
  }
  const { mode, uid } = statSync(dir)
  if (!statSync(dir).isDirectory())
    return [{ check, status: 'fail', detail: `${dir} is a file`, advice: 'Name a folder' }]
  if (!canWrite(dir))
    return [{ check, status: 'fail', detail: `${dir} cannot be written to`, advice: permissionAdvice }]
  const me = process.getuid?.()
  if (me !== undefined && uid !== me) {
    const advice = 'Run the node as its owner, or change the owner'
    return [{ check, status: 'warn', detail: `${dir} belongs to user ${uid}, and this is user ${me}`, advice }]
  }
  if ((mode & 0o077) === 0) return [{ check, status: 'ok', detail: `${dir} is this user’s alone` }]
  return [{ check, status: 'warn', detail: `others may look into ${dir}`, advice: `chmod 700 ${dir}` }]
}

const permissionAdvice = 'Give this user the right to'

/** While a node runs, the data file changes. */
async function dataFile({ dataDir, roles }: Config): Promise<Finding[]> {
  const check = 'data'
  const dir = resolve(dataDir)
  const path = join(dir, dataFileName)
  if (!roles.includes('shards')) return []
  if (!existsSync(path)) return [{ check, status: 'ok', detail: 'none yet: a node creates it' }]
  const owner = await ownerOf(dir)
  if (owner) return [{ check, status: 'ok', detail: `in use by ${owner}` }]
  try {
    checkDataFile(path)
    return [{ check, status: 'ok', detail: `${formatBytes(statSync(path).size)}, and no process uses it` }]
  } catch (error) {
    return [{ check, status: 'fail', detail: (error as Error).message.replace(/\.$/, '') }]
  }
}

async function rootKey(config: Config): Promise<Finding[]> {
  const check = 'root key'
  const { dataDir, secretKeyHex } = config
  const dir = resolve(dataDir)
  const path = join(dir, secretKeyFileName)
  if (secretKeyHex === undefined && !existsSync(path)) return missingKey(dir)
  if (await hasWrongKey(config, dir)) {
    const advice = `Put the ${secretKeyFileName} of the data back, or set PARLEY_SECRET_KEY to its key`
    return [{ check, status: 'fail', detail: `the data in ${dir} was made under another root key`, advice }]
  }
  if (secretKeyHex !== undefined) return [{ check, status: 'ok', detail: 'PARLEY_SECRET_KEY' }]
  if ((statSync(path).mode & 0o077) === 0) return [{ check, status: 'ok', detail: path }]
  return [{ check, status: 'warn', detail: `others may read ${path}`, advice: `chmod 600 ${path}` }]
}

/** A running node has compared the keys itself, and another check reports unreadable data, so both answer false. */
async function hasWrongKey({ secretKeyHex, shards }: Config, dir: string): Promise<boolean> {
  if (!existsSync(join(dir, dataFileName)) || (await ownerOf(dir))) return false
  try {
    const secret = loadOrCreateSecretKey(dir, secretKeyHex)
    const verdicts = await checkKeysOf(dir, shards, secret.next ? [secret.key, secret.next] : [secret.key])
    return verdicts.every((verdict) => verdict === 'wrong')
  } catch {
    return false
  }
}

function missingKey(dir: string): Finding[] {
  const check = 'root key'
  if (!existsSync(join(dir, dataFileName))) return [{ check, status: 'ok', detail: 'none yet: a node makes one' }]
  const advice = `Put ${secretKeyFileName} back, or set PARLEY_SECRET_KEY`
  return [{ check, status: 'fail', detail: `there is data in ${dir} and no key`, advice }]
}

function disk({ dataDir }: Config): Finding[] {
  const check = 'disk'
  const folder = nearestFolder(resolve(dataDir))
  const free = freeBytesAt(folder)
  const detail = `${formatBytes(free)} free at ${folder}`
  if (free < storeLimits.freeDiskBytes) {
    return [
      { check, status: 'fail', detail, advice: `Below ${formatBytes(storeLimits.freeDiskBytes)} nothing is written` },
    ]
  }
  if (free >= limits.freeDiskBytes) return [{ check, status: 'ok', detail }]
  return [{ check, status: 'warn', detail, advice: 'Make room before it is needed' }]
}

/** The folder itself, or the nearest parent that exists. */
function nearestFolder(dir: string): string {
  return existsSync(dir) ? dir : nearestFolder(dirname(dir))
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}
