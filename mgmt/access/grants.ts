/** Emulator grants: signed words that open one agent's personas. `v2.` is a link, `v1.` a sitting of an hour. */
import type { Grant } from '../../core/access.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { Clock } from '../../runtime/clock.js'
import { createSignedWords } from '../../runtime/http/signed.js'

export interface OpenedGrant extends Grant {
  readonly form: 'link' | 'sitting'
  readonly expiresAt?: number
}

/** What the words of a grant say. `serial` tells its agent from another of the same id. */
export interface GrantWords extends Omit<OpenedGrant, 'kind'> {
  readonly serial?: number
}

export interface Grants {
  mint(grant: GrantWords & { readonly expiresAt: number }): string
  /** Undefined for one that this installation did not write, that has run out, was revoked, or whose agent is gone. */
  open(token: string): Promise<OpenedGrant | undefined | Refusal> | undefined
}

const versions = { link: 'v2', sitting: 'v1' } as const
const textPattern = /^(v[12])\.([\w-]{1,1000})$/

export interface GrantsOptions {
  readonly key: Uint8Array
  readonly clock: Clock
  /** Whether the grant was made here and not revoked since, and its agent is there; a refusal where that cannot be asked. */
  readonly isOnRecord: (grant: GrantWords) => Promise<boolean | Refusal>
}

export function openGrants({ key, clock, isOnRecord }: GrantsOptions): Grants {
  const words = createSignedWords(key)

  function read(token: string): GrantWords | undefined {
    const [, version, payload] = textPattern.exec(words.read(token) ?? '') ?? []
    if (!version || !payload) return undefined
    const said = JSON.parse(Buffer.from(payload, 'base64url').toString())
    if (said.expiresAt !== undefined && said.expiresAt <= clock.now()) return undefined
    return { ...said, form: version === 'v2' ? 'link' : 'sitting' }
  }

  return {
    mint({ form, id, orgId, agentId, serial, expiresAt }) {
      const payload = Buffer.from(JSON.stringify({ id, orgId, agentId, serial, expiresAt })).toString('base64url')
      return words.sign(`${versions[form]}.${payload}`)
    },
    open(token) {
      const grant = read(token)
      return grant && admitted(grant)
    },
  }

  async function admitted(grant: GrantWords): Promise<OpenedGrant | undefined | Refusal> {
    const answer = await isOnRecord(grant)
    if (isRefusal(answer)) return answer
    const { form, id, orgId, agentId, expiresAt } = grant
    return answer ? { kind: 'grant', form, id, orgId, agentId, expiresAt } : undefined
  }
}
