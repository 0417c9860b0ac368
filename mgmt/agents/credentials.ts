/** An agent's gateway credentials: an access token, stored as a hash, and a signing secret, stored sealed. */
import { hash } from 'node:crypto'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { accessTokenPrefix, idFromBytes, shownSecretChars, signingSecretPrefix, toBase62 } from '../../core/ids.js'
import { gatewayAccess } from '../../core/limits/index.js'
import type { Sealer } from '../../runtime/secrets/sealer.js'

export type Seal = Pick<Sealer, 'seal'>
export type RandomBytes = (count: number) => Uint8Array

export interface TokenDigest {
  /** SHA-256 of the token. */
  readonly hash: Uint8Array
  /** The first characters, which reads show. */
  readonly prefix: string
}

export interface SealedSecret {
  /**
   * The id that the secret is sealed for. It is older than the agent's id, which is decided only when the agent is
   * created.
   */
  readonly id: string
  readonly sealed: Uint8Array
  readonly prefix: string
}

export interface Credentials {
  readonly token: TokenDigest
  readonly secret: SealedSecret
}

/** The kind under which signing secrets are sealed. */
export const secretKind = 'gateway'

export function generateToken(randomBytes: RandomBytes): string {
  return accessTokenPrefix + toBase62(randomBytes(gatewayAccess.tokenBytes))
}

export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

export function digestToken(token: string): TokenDigest {
  return { hash: hashToken(token), prefix: token.slice(0, shownSecretChars) }
}

export async function generateSecret(
  orgId: string,
  { sealer, randomBytes }: { sealer: Seal; randomBytes: RandomBytes },
): Promise<{ readonly signingSecret: string; readonly secret: SealedSecret } | Refusal> {
  const signingSecret = signingSecretPrefix + toBase62(randomBytes(gatewayAccess.secretBytes))
  const id = idFromBytes('gs', randomBytes(17))
  const sealed = await sealer.seal(orgId, secretKind, id, signingSecret)
  if (isRefusal(sealed)) return sealed
  return { signingSecret, secret: { id, sealed, prefix: signingSecret.slice(0, shownSecretChars) } }
}

/**
 * Credentials of a new agent. They are never shown: callers get a token and a secret by a rotation, so the first token
 * needs no row in the index.
 */
export async function generateCredentials(
  orgId: string,
  deps: { sealer: Seal; randomBytes: RandomBytes },
): Promise<Credentials | Refusal> {
  const generated = await generateSecret(orgId, deps)
  return isRefusal(generated)
    ? generated
    : { token: digestToken(generateToken(deps.randomBytes)), secret: generated.secret }
}
