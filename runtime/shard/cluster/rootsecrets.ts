/** The sealed root secrets as the nodes of a cluster share them: the first ones stored in the settings bucket win. */
import type { Clock } from '../../clock.js'
import { type Bucket, BusUnusable } from '../../nats/contract.js'
import {
  type KeyVerdict,
  legacySecrets,
  newRootSecrets,
  openRootSecrets,
  type RootSecrets,
  sealRootSecrets,
} from '../../secrets/rootsecrets.js'
import { cluster as limits } from '../limits.js'
import { installationRecord, rootSecretsRecord } from './installation.js'
import { createRetry } from './retry.js'

interface AgreedSecrets {
  readonly secrets: RootSecrets
  readonly sealed: Uint8Array
}

/**
 * `localVerdict` is the verdict of this node's own data on the key. It is absent in a process without shards, which
 * creates no secrets and waits for them. An installation that is older than shared secrets derived everything from its
 * root key.
 */
export async function agreeRootSecrets(
  settings: Bucket,
  root: Buffer,
  localVerdict: KeyVerdict | undefined,
  clock: Clock,
): Promise<AgreedSecrets> {
  const retryUntil = createRetry(clock, limits)
  const shared = () => retryUntil(() => settings.get(rootSecretsRecord))
  const stored = (await shared())?.value
  if (stored) return openSealed(stored)
  const isInstalled = (await retryUntil(() => settings.get(installationRecord)))?.value !== undefined
  if (!isInstalled && localVerdict === undefined) return openSealed(await waitForSecrets())
  if (!isInstalled && localVerdict === 'wrong') throw wrongKeyError()
  const secrets = isInstalled
    ? legacySecrets(root)
    : localVerdict && typeof localVerdict === 'object'
      ? localVerdict.secrets
      : newRootSecrets()
  const sealed = sealRootSecrets(root, secrets)
  if (await retryUntil(() => settings.create(rootSecretsRecord, sealed))) return { secrets, sealed }
  return openSealed(await waitForSecrets())

  function openSealed(sealed: Uint8Array): AgreedSecrets {
    const secrets = openRootSecrets(root, sealed)
    if (!secrets) throw wrongKeyError()
    return { secrets, sealed }
  }

  async function waitForSecrets(): Promise<Uint8Array> {
    const entry = await retryUntil(
      () => settings.get(rootSecretsRecord),
      (candidate) => candidate?.value !== undefined,
    )
    if (entry?.value) return entry.value
    throw new BusUnusable('These NATS servers know no installation yet. Start a node with the role shards first.')
  }
}

function wrongKeyError(): BusUnusable {
  return new BusUnusable(
    'This node has another root key than the installation on these NATS servers. Set PARLEY_SECRET_KEY to the same key on every node.',
  )
}
