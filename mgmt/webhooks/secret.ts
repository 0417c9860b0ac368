/** Signing secrets: created from random bytes, shown once, sealed before any command gets them. */
import { isRefusal, type Refusal } from '../../core/errors.js'
import { shownSecretChars, signingSecretPrefix, toBase62 } from '../../core/ids.js'
import { orgWebhook } from '../../core/limits/index.js'
import type { SealedSecret } from './store.js'

/**
 * Seals a text for one org, kind and id; opening it for another one throws. A refusal says that the org's key is
 * unavailable at the moment.
 */
export interface Sealer {
  seal(orgId: string, kind: string, id: string, plaintext: string): Promise<Uint8Array | Refusal>
  open(orgId: string, kind: string, id: string, sealed: Uint8Array): Promise<string | Refusal>
}

const kind = 'webhook'

export function newSecret(randomBytes: (count: number) => Uint8Array): string {
  return signingSecretPrefix + toBase62(randomBytes(orgWebhook.secretBytes))
}

export async function sealSecret(
  sealer: Sealer,
  orgId: string,
  webhookId: string,
  secret: string,
): Promise<SealedSecret | Refusal> {
  const sealed = await sealer.seal(orgId, kind, webhookId, secret)
  return isRefusal(sealed) ? sealed : { sealed, prefix: secret.slice(0, shownSecretChars) }
}

export function openSecret(
  sealer: Sealer,
  orgId: string,
  webhookId: string,
  secret: SealedSecret,
): Promise<string | Refusal> {
  return sealer.open(orgId, kind, webhookId, secret.sealed)
}
