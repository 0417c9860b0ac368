/** Joining an installation: a node must have the installation's id, number of shards and root key. */
import { type Bucket, BusUnusable } from '../../nats/contract.js'
import { decodePlain, encodePlain } from '../../store/codec.js'
import type { Store } from '../../store/contract.js'
import type { RetryUntil } from './retry.js'

export interface Installation {
  readonly id: string
  readonly shards: number
  /** Identifies the root key without revealing anything of it. */
  readonly key: string
}

export const installationRecord = 'installation'
export const rootSecretsRecord = 'rootSecrets'

/**
 * Joins the installation of the bus. A node with shards creates one where none exists: `seedLogs` writes the node's
 * data into the logs before other nodes can see the installation, so no node begins without that data.
 */
export async function joinInstallation(options: {
  settings: Bucket
  store: Store | undefined
  shards: number
  key: string
  isEmpty: () => boolean
  seedLogs: () => Promise<void>
  retryUntil: RetryUntil
}): Promise<Installation> {
  const { settings, store, shards, key, retryUntil } = options
  let record = await retryUntil(() => settings.get(installationRecord))
  if (!record?.value && store) {
    await options.seedLogs()
    const own: Installation = { id: store.identity.installation, shards, key }
    if (await retryUntil(() => settings.create(installationRecord, encodePlain(own)))) return own
  }
  record = await retryUntil(
    () => settings.get(installationRecord),
    (candidate) => candidate?.value !== undefined,
  )
  if (!record?.value) {
    throw new BusUnusable('These NATS servers know no installation yet. Start a node with the role shards first.')
  }
  const shared = decodePlain(record.value) as Installation
  if (shared.shards !== shards) {
    throw new BusUnusable(
      `The installation on these NATS servers is laid out in ${shared.shards} shards, but ${shards} are configured. ` +
        `Set PARLEY_SHARDS to ${shared.shards}.`,
    )
  }
  if (shared.key !== key) {
    throw new BusUnusable(
      'This node has another root key than the installation on these NATS servers. Set PARLEY_SECRET_KEY to the same key on every node.',
    )
  }
  if (!store || shared.id === store.identity.installation) return shared
  if (!options.isEmpty()) {
    throw new BusUnusable(
      'The data directory belongs to another installation than the one on these NATS servers. Name an empty data directory, or other servers.',
    )
  }
  await store.adopt(shared.id)
  return shared
}

/** Restores the record after the servers have lost it, unless another node has done so. */
export async function restoreInstallation(
  settings: Bucket,
  installation: Installation,
  rootSecrets?: Uint8Array,
): Promise<void> {
  if (rootSecrets) await settings.create(rootSecretsRecord, rootSecrets)
  await settings.create(installationRecord, encodePlain(installation))
}
