/**
 * ID tokens of signed-in users: those of the configured issuer, or, without one, those that this installation signs.
 */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { createRemoteJWKSet, exportJWK, type JWK, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { type Member, type Role, restrictToKey, roles, scopesOfRole } from '../../core/access.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { session as limits } from '../../core/limits/index.js'
import type { Clock } from '../../runtime/clock.js'

export interface IdTokens {
  /** Undefined for an invalid token, for any reason; a refusal when the check is not possible at the moment. */
  verify(token: string): Member | undefined | Promise<Member | undefined | Refusal>
  /** The public keys of tokens that this installation signs. */
  jwks(): Promise<{ keys: JWK[] }>
  /** Absent when an external issuer signs. */
  readonly mint?: (session: NewSession) => Promise<{ idToken: string; expiresAt: number }>
}

export interface NewSession {
  readonly id: string
  readonly orgId: string
  readonly role: Role
  /** The API key that requests the session. */
  readonly keyId: string
}

/** Reads every required claim by hand, so that a claim of a wrong type is a refusal and not an exception. */
function memberOf(payload: JWTPayload): Member | undefined {
  const { sub, org, role } = payload
  if (typeof sub !== 'string' || typeof org !== 'string' || !roles.includes(role as Role)) return undefined
  const scopes = new Set(scopesOfRole[role as Role])
  return { kind: 'session', id: sub, orgId: org, role: role as Role, scopes, isSysop: false }
}

/** Claims of tokens of this installation. A token from before sessions had ids names its key as the user. */
function memberOfOwnToken(payload: JWTPayload): Member | undefined {
  const member = memberOf(payload)
  return member && { ...member, keyId: typeof payload.key === 'string' ? payload.key : member.id }
}

/** Caches a verified token until it expires: a signature check costs more than the rest of a call. */
function withTokenCache(
  clock: Clock,
  check: (token: string) => Promise<JWTPayload>,
  read: (payload: JWTPayload) => Member | undefined,
): (token: string) => Member | undefined | Promise<Member | undefined> {
  const cache = new LRUCache<string, { member: Member; endsAt: number }>({ max: limits.cachedTokens })
  return (token) => {
    const hash = createHash('sha256').update(token).digest('base64')
    const cached = cache.get(hash)
    if (cached) return cached.endsAt > clock.now() ? cached.member : undefined
    return check(token).then(
      (payload) => {
        const member = read(payload)
        if (!member || payload.exp === undefined) return undefined
        cache.set(hash, { member, endsAt: payload.exp * 1000 })
        return member
      },
      () => undefined,
    )
  }
}

export interface OwnIdTokensOptions {
  /** 32 bytes from which the signing key is derived, so that every node of an installation has the same key. */
  readonly seed: Uint8Array
  readonly issuer: () => string
  readonly clock: Clock
  /** The current API key: a session ends with the key that made it, and never has more rights than that key. */
  readonly loadKey: (orgId: string, keyId: string) => Member | undefined | Promise<Member | undefined | Refusal>
}

const audience = 'parley'
const ed25519Pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')

export function createOwnIdTokens({ seed, issuer, clock, loadKey }: OwnIdTokensOptions): IdTokens {
  const der = Buffer.concat([ed25519Pkcs8Head, seed])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey)
  const kid = createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('hex')
    .slice(0, 16)
  const verify = withTokenCache(
    clock,
    async (token) => {
      const rules = { audience, algorithms: ['EdDSA'], currentDate: new Date(clock.now()) }
      return (await jwtVerify(token, publicKey, rules)).payload
    },
    memberOfOwnToken,
  )
  return {
    async verify(token) {
      const session = await verify(token)
      const key = session?.keyId === undefined ? undefined : await loadKey(session.orgId, session.keyId)
      return session && key && !isRefusal(key) ? restrictToKey(session, key) : key
    },
    jwks: async () => ({ keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'EdDSA', use: 'sig' }] }),
    async mint({ id, orgId, role, keyId }) {
      const issuedAt = Math.floor(clock.now() / 1000)
      const expiresAt = issuedAt + limits.lifetimeMs / 1000
      const idToken = await new SignJWT({ org: orgId, role, key: keyId })
        .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'JWT' })
        .setSubject(id)
        .setIssuer(issuer())
        .setAudience(audience)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(privateKey)
      return { idToken, expiresAt: expiresAt * 1000 }
    },
  }
}

/**
 * Finds the issuer's keys through its discovery document, which is fetched at the first token and again after a
 * failure.
 */
export function createExternalIdTokens({
  issuer,
  audience,
  clock,
}: {
  issuer: string
  audience: string
  clock: Clock
}): IdTokens {
  let keys: Promise<ReturnType<typeof createRemoteJWKSet>> | undefined
  const discover = async () => {
    const answer = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
      signal: AbortSignal.timeout(limits.discoveryMs),
    })
    const { jwks_uri } = (await answer.json()) as { jwks_uri: string }
    return createRemoteJWKSet(new URL(jwks_uri))
  }
  return {
    verify: withTokenCache(
      clock,
      async (token) => {
        keys ??= discover()
        keys.catch(() => {
          keys = undefined
        })
        const rules = { issuer, audience, algorithms: externalAlgorithms, currentDate: new Date(clock.now()) }
        return (await jwtVerify(token, await keys, rules)).payload
      },
      memberOf,
    ),
    jwks: async () => ({ keys: [] }),
  }
}

/** Asymmetric algorithms only: with a shared-secret algorithm anyone who knows the public key could sign. */
const externalAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
