/** Emulator grants: signed words that open one agent's personas. `v2.` is a standing link, `v1.` a sitting of an hour. */
import type { Grant } from '../../core/access.js'
import { emulatorSitting } from '../../core/limits.js'
import type { Clock } from '../../runtime/clock.js'
import { openSignedWords } from '../../runtime/http/signed.js'

export interface OpenedGrant extends Grant {
  readonly form: 'link' | 'sitting'
  readonly expiresAt?: number
}

export interface Grants {
  mint(form: OpenedGrant['form'], grant: { id: string; orgId: string; agentId: string }): string
  /** Undefined for anything this installation did not write, or that has run out. */
  open(token: string): OpenedGrant | undefined
}

const versions = { link: 'v2', sitting: 'v1' } as const
const textPattern = /^(v[12])\.([\w-]{1,1000})$/

export function openGrants(key: Uint8Array, clock: Clock): Grants {
  const words = openSignedWords(key)
  return {
    mint(form, { id, orgId, agentId }) {
      const expiresAt = form === 'sitting' ? clock.now() + emulatorSitting.lifetimeMs : undefined
      const payload = Buffer.from(JSON.stringify({ id, orgId, agentId, expiresAt })).toString('base64url')
      return words.sign(`${versions[form]}.${payload}`)
    },
    open(token) {
      const [, version, payload] = textPattern.exec(words.read(token) ?? '') ?? []
      if (!version || !payload) return undefined
      const { id, orgId, agentId, expiresAt } = JSON.parse(Buffer.from(payload, 'base64url').toString())
      if (expiresAt !== undefined && expiresAt <= clock.now()) return undefined
      return { kind: 'grant', form: version === 'v2' ? 'link' : 'sitting', id, orgId, agentId, expiresAt }
    },
  }
}
