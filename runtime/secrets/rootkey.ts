/** The root key of an installation: configured, or generated once and stored beside the data. */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { settings } from '../../core/limits/index.js'
import { dataFileName, prepareDirectory, refuseHalfRestored, syncDirectory } from '../store/directory.js'

export const secretKeyFileName = 'secret.key'

/** The root key is not available; `message` is a sentence for the operator and holds nothing of any key. */
export class SecretKeyUnusable extends Error {
  override readonly name = 'SecretKeyUnusable'
}

export interface SecretKey {
  readonly key: Buffer
  readonly from: 'variable' | 'file' | 'created'
  /** Other users than the owner may read the key file. */
  readonly tooOpen: boolean
  /** The new key of an interrupted rotation, not in the key file yet. */
  readonly next?: Buffer
}

/**
 * The configured key, else the one in the directory, else a new one that is stored there. No key is generated beside
 * existing data: it could open none of it, and all sealed secrets would silently be lost.
 */
export function loadOrCreateSecretKey(dir: string, configured?: string): SecretKey {
  if (configured !== undefined) {
    const key = parse(configured)
    if (key) return { key, from: 'variable', tooOpen: false }
    throw new SecretKeyUnusable(`PARLEY_SECRET_KEY must be ${keyFormat}.`)
  }
  prepareDirectory(dir)
  refuseHalfRestored(dir)
  const path = join(dir, secretKeyFileName)
  if (existsSync(path)) return withNext(path, readKey(path))
  if (existsSync(join(dir, dataFileName))) {
    throw new SecretKeyUnusable(
      `The data directory ${dir} holds data but its key ${path} is missing. Put the file back from a backup, or set ` +
        'PARLEY_SECRET_KEY to the key the data was made with.',
    )
  }
  return createKey(dir, path)
}

function withNext(path: string, current: SecretKey): SecretKey {
  return existsSync(nextPathOf(path)) ? { ...current, next: readKey(nextPathOf(path)).key } : current
}

const nextPathOf = (path: string) => `${path}.next`

/** Stores the new key of a rotation beside the file, before it seals any data. Survives a power cut. */
export function writeNextKey(dir: string, key: Uint8Array): void {
  const next = nextPathOf(join(dir, secretKeyFileName))
  rmSync(next, { force: true })
  writeKeyFile(next, key)
  syncDirectory(dir)
}

/**
 * The key that seals the data: the one in the file, or the new key of an interrupted rotation if the data is sealed
 * with it. Afterwards the file holds this key, and the file of the new key is removed.
 */
export function resolveDataKey(dir: string, { key, next }: SecretKey, check: (key: Buffer) => unknown): Buffer {
  if (!next) return key
  const isRotated = check(key) === 'wrong' && check(next) !== 'wrong'
  if (isRotated) activateNextKey(dir)
  else rmSync(nextPathOf(join(dir, secretKeyFileName)), { force: true })
  return isRotated ? next : key
}

/** Makes the new key of a rotation the one in the file. */
export function activateNextKey(dir: string): void {
  const path = join(dir, secretKeyFileName)
  renameSync(nextPathOf(path), path)
  syncDirectory(dir)
}

function writeKeyFile(path: string, key: Uint8Array): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    fchmodSync(file, 0o600)
    writeSync(file, `${Buffer.from(key).toString('base64url')}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

const keyFormat = `${settings.secretKeyBytes} bytes in base64, base64url or hex`
const base64 = /^[A-Za-z0-9+/]{43}=?$/
const base64url = /^[A-Za-z0-9_-]{43}=?$/
const hex = /^[0-9A-Fa-f]{64}$/

function parse(text: string): Buffer | undefined {
  if (hex.test(text)) return Buffer.from(text, 'hex')
  if (base64.test(text) || base64url.test(text)) return Buffer.from(text, 'base64')
  return undefined
}

function readKey(path: string): SecretKey {
  let text: string
  let mode: number
  try {
    text = readFileSync(path, 'latin1')
    mode = statSync(path).mode
  } catch (error) {
    throw new SecretKeyUnusable(`The key file ${path} cannot be read: ${(error as Error).message}.`)
  }
  const key = parse(text.trim())
  if (!key) throw new SecretKeyUnusable(`The key file ${path} does not hold ${keyFormat}. Put it back from a backup.`)
  return { key, from: 'file', tooOpen: (mode & 0o077) !== 0 }
}

/** Written under another name first, then linked: of two processes that start together, one key wins for both. */
function createKey(dir: string, path: string): SecretKey {
  const key = randomBytes(settings.secretKeyBytes)
  const unfinished = `${path}.${randomBytes(8).toString('hex')}.new`
  try {
    writeKeyFile(unfinished, key)
    linkSync(unfinished, path)
    syncDirectory(dir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return readKey(path)
    throw new SecretKeyUnusable(`The key file ${path} cannot be made: ${(error as Error).message}.`)
  } finally {
    rmSync(unfinished, { force: true })
  }
  return { key, from: 'created', tooOpen: false }
}
