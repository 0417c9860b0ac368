/** Signing secrets: made from random bytes, shown once, sealed before any command is told of them. */
import { inBase62, shownSecretChars, signingSecretPrefix } from '../../core/ids.js'
import { orgWebhook } from '../../core/limits.js'
import type { SealedSecret } from './store.js'

/** Seals for one place only: what was sealed for one org, kind and id opens under no other. */
export interface Sealer {
  seal(orgId: string, kind: string, id: string, plaintext: string): Uint8Array
  open(orgId: string, kind: string, id: string, sealed: Uint8Array): string
}

const kind = 'webhook'

export function newSecret(randomBytes: (count: number) => Uint8Array): string {
  return signingSecretPrefix + inBase62(randomBytes(orgWebhook.secretBytes))
}

export function sealSecret(sealer: Sealer, orgId: string, webhookId: string, secret: string): SealedSecret {
  return { sealed: sealer.seal(orgId, kind, webhookId, secret), prefix: secret.slice(0, shownSecretChars) }
}

export function openSecret(sealer: Sealer, orgId: string, webhookId: string, secret: SealedSecret): string {
  return sealer.open(orgId, kind, webhookId, secret.sealed)
}
