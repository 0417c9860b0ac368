/** The sealed secrets of an installation as the nodes of a cluster share them: the first that are put on record count. */
import type { Clock } from '../../clock.js'
import { type Bucket, BusUnusable } from '../../nats/contract.js'
import {
  type KeyVerdict,
  newRootSecrets,
  openRootSecrets,
  type RootSecrets,
  sealRootSecrets,
  secretsOfBefore,
} from '../../store/rootsecrets.js'
import { installationRecord, rootSecretsRecord } from './join.js'
import { insist } from './patience.js'

interface Settled {
  readonly secrets: RootSecrets
  readonly sealed: Uint8Array
}

/**
 * `here` is what this node's own data says of the key, absent in a process that keeps no shards: such a process founds
 * nothing and waits. An installation that was founded before the secrets were shared derived everything from its root key.
 */
export async function settleRootSecrets(
  settings: Bucket,
  root: Buffer,
  here: KeyVerdict | undefined,
  clock: Clock,
): Promise<Settled> {
  const shared = () => insist(clock, () => settings.get(rootSecretsRecord))
  const known = (await shared())?.value
  if (known) return opened(known)
  const isFounded = (await insist(clock, () => settings.get(installationRecord)))?.value !== undefined
  if (!isFounded && here === undefined) return opened(await awaited())
  if (!isFounded && here === 'wrong') throw wrongKey()
  const secrets = isFounded ? secretsOfBefore(root) : here && typeof here === 'object' ? here.secrets : newRootSecrets()
  const sealed = sealRootSecrets(root, secrets)
  if (await insist(clock, () => settings.create(rootSecretsRecord, sealed))) return { secrets, sealed }
  return opened(await awaited())

  function opened(sealed: Uint8Array): Settled {
    const secrets = openRootSecrets(root, sealed)
    if (!secrets) throw wrongKey()
    return { secrets, sealed }
  }

  async function awaited(): Promise<Uint8Array> {
    const held = await insist(
      clock,
      () => settings.get(rootSecretsRecord),
      (found) => found?.value !== undefined,
    )
    if (held?.value) return held.value
    throw new BusUnusable('These NATS servers know no installation yet. Start a node with the role shards first.')
  }
}

function wrongKey(): BusUnusable {
  return new BusUnusable(
    'This node has another root key than the installation on these NATS servers. Set PARLEY_SECRET_KEY to the same key on every node.',
  )
}
