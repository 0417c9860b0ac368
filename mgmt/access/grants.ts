/** Emulator grants: signed tokens for the personas of one agent. `v2.` is a link, `v1.` a sitting of an hour. */
import type { Grant } from '../../core/access.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { Clock } from '../../runtime/clock.js'
import { createSignedTokens } from '../../runtime/http/signedtokens.js'

export interface VerifiedGrant extends Grant {
  readonly form: 'link' | 'sitting'
  readonly expiresAt?: number
}

/** The claims of a grant. `incarnation` distinguishes its agent from another agent of the same id. */
export interface GrantClaims extends Omit<VerifiedGrant, 'kind'> {
  readonly incarnation?: number
}

export interface Grants {
  mint(grant: GrantClaims & { readonly expiresAt: number }): string
  /**
   * Undefined for a grant that this installation did not sign, that expired or was revoked, or whose agent was deleted.
   */
  verify(token: string): Promise<VerifiedGrant | undefined | Refusal> | undefined
}

const versions = { link: 'v2', sitting: 'v1' } as const
const textPattern = /^(v[12])\.([\w-]{1,1000})$/

export interface GrantsOptions {
  readonly key: Uint8Array
  readonly clock: Clock
  /** Was the grant minted here and not revoked, and does its agent exist? A refusal where that cannot be asked. */
  readonly isActive: (grant: GrantClaims) => Promise<boolean | Refusal>
}

export function createGrants({ key, clock, isActive }: GrantsOptions): Grants {
  const signer = createSignedTokens(key)

  function read(token: string): GrantClaims | undefined {
    const [, version, payload] = textPattern.exec(signer.read(token) ?? '') ?? []
    if (!version || !payload) return undefined
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    if (claims.expiresAt !== undefined && claims.expiresAt <= clock.now()) return undefined
    return { ...claims, form: version === 'v2' ? 'link' : 'sitting' }
  }

  return {
    mint({ form, id, orgId, agentId, incarnation, expiresAt }) {
      const payload = Buffer.from(JSON.stringify({ id, orgId, agentId, incarnation, expiresAt })).toString('base64url')
      return signer.sign(`${versions[form]}.${payload}`)
    },
    verify(token) {
      const grant = read(token)
      return grant && confirmGrant(grant)
    },
  }

  async function confirmGrant(grant: GrantClaims): Promise<VerifiedGrant | undefined | Refusal> {
    const outcome = await isActive(grant)
    if (isRefusal(outcome)) return outcome
    const { form, id, orgId, agentId, expiresAt } = grant
    return outcome ? { kind: 'grant', form, id, orgId, agentId, expiresAt } : undefined
  }
}
