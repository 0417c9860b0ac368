/** `parley keys rotate-root`: seals the data of a stopped node with a new root key. Reads the node's variables. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readConfig } from '../config/config.js'
import { secretKeyHex as secretKeyKind } from '../config/env.js'
import { SecretKeyUnusable } from '../secrets/rootkey.js'
import { RootKeyMismatch } from '../secrets/rootsecrets.js'
import { type Rotation, rotateRootKey } from '../secrets/rotation.js'
import { StoreUnusable } from '../store/contract.js'
import { Failure, usageError } from './failure.js'
import type { CliContext } from './program.js'

export const rotateRootHelp = `
Without PARLEY_SECRET_KEY a new key is made and takes the place of secret.key in the data folder. With it, the new key
is read from --new-key-file, and PARLEY_SECRET_KEY must hold it from then on. User ids, opt-outs and sealed secrets stay;
sessions, emulator links, page tokens and web chat visitors end. Backups of before open with the key of before.`

export async function rotateRoot({ env, terminal }: CliContext, newKeyFile: string | undefined): Promise<void> {
  const read = readConfig(env)
  if ('problems' in read) throw usageError(read.problems.join('\n'))
  const { dataDir, shards, secretKeyHex, natsServers } = read.config
  if (natsServers) {
    throw new Failure(
      'PARLEY_NATS_URL is set, and the root key of a cluster cannot be rotated. Rotate what it protects instead: ' +
        'API keys, access tokens, signing secrets of webhooks and credentials of channels, as the part ' +
        '"Root key" of ops/README.md says.',
    )
  }
  const rotation = { dir: resolve(dataDir), shards, ...configuredOf(secretKeyHex, newKeyFile) }
  const orgs = await rotateRootKey(rotation).catch(explain)
  const where = rotation.configured ? 'Set PARLEY_SECRET_KEY to it before a node starts.' : 'It is in secret.key.'
  terminal.printNotice(`The data in ${rotation.dir} is sealed with the new root key (keys of ${orgs} orgs). ${where}`)
}

function configuredOf(before: string | undefined, file: string | undefined): Pick<Rotation, 'configured'> {
  if (before === undefined && file === undefined) return {}
  if (before === undefined) throw usageError('--new-key-file goes with PARLEY_SECRET_KEY, which is not set.')
  if (file === undefined)
    throw usageError('PARLEY_SECRET_KEY is set: name a file that holds the new key with --new-key-file.')
  const after = secretKeyKind.read(textOf(file))
  if (after === undefined) throw usageError(`${file} does not hold a key. It wants ${secretKeyKind.expected}.`)
  if (after === before) throw usageError(`${file} holds the key that PARLEY_SECRET_KEY has already.`)
  return { configured: { before, after: Buffer.from(after, 'hex') } }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1').trim()
  } catch (error) {
    throw usageError(`The key file cannot be read: ${(error as Error).message}.`)
  }
}

function explain(error: unknown): never {
  const isSentence = [StoreUnusable, SecretKeyUnusable, RootKeyMismatch].some((kind) => error instanceof kind)
  throw isSentence ? new Failure((error as Error).message) : error
}
