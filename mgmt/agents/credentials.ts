/** What an agent proves itself with at the gateway: an access token, kept as a hash, and a signing secret, kept sealed. */
import { hash } from 'node:crypto'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { accessTokenPrefix, idFromBytes, inBase62, shownSecretChars, signingSecretPrefix } from '../../core/ids.js'
import { gatewayAccess } from '../../core/limits.js'
import type { Sealer } from '../../runtime/store/sealer.js'

export type Seal = Pick<Sealer, 'seal'>
export type RandomBytes = (count: number) => Uint8Array

export interface TokenMark {
  /** SHA-256 of the token. */
  readonly hash: Uint8Array
  /** The first characters, which reads may show. */
  readonly prefix: string
}

export interface SealedSecret {
  /** What it was sealed for. It is older than the agent's id, which is settled only when the agent is made. */
  readonly id: string
  readonly sealed: Uint8Array
  readonly prefix: string
}

export interface Credentials {
  readonly token: TokenMark
  readonly secret: SealedSecret
}

/** The kind under which signing secrets are sealed. */
export const secretKind = 'gateway'

export function makeToken(randomBytes: RandomBytes): string {
  return accessTokenPrefix + inBase62(randomBytes(gatewayAccess.tokenBytes))
}

export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

export function markOf(token: string): TokenMark {
  return { hash: hashToken(token), prefix: token.slice(0, shownSecretChars) }
}

export async function newSecret(
  orgId: string,
  { sealer, randomBytes }: { sealer: Seal; randomBytes: RandomBytes },
): Promise<{ readonly signingSecret: string; readonly secret: SealedSecret } | Refusal> {
  const signingSecret = signingSecretPrefix + inBase62(randomBytes(gatewayAccess.secretBytes))
  const id = idFromBytes('gs', randomBytes(17))
  const sealed = await sealer.seal(orgId, secretKind, id, signingSecret)
  if (isRefusal(sealed)) return sealed
  return { signingSecret, secret: { id, sealed, prefix: signingSecret.slice(0, shownSecretChars) } }
}

/**
 * What a new agent begins with. Nobody is shown either of them: a token and a secret that are to be used come from a
 * rotation, so the first token needs no place in the index.
 */
export async function newCredentials(
  orgId: string,
  means: { sealer: Seal; randomBytes: RandomBytes },
): Promise<Credentials | Refusal> {
  const made = await newSecret(orgId, means)
  return isRefusal(made) ? made : { token: markOf(makeToken(means.randomBytes)), secret: made.secret }
}
