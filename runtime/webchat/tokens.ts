/** Signed tokens of visitors: agent, visitor and expiry. Verification needs no lookup. */
import type { AgentRef } from '../../core/agentref.js'
import { webchat as limits } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import { createSignedTokens } from '../http/signedtokens.js'

export interface Visitor extends AgentRef {
  readonly visitorId: string
}

export interface VisitorTokens {
  mint(visitor: Visitor): { readonly token: string; readonly expiresAt: number }
  /** Undefined for a token that this installation did not sign for that agent, or that has expired. */
  verify(token: string, agent: AgentRef): Visitor | undefined
}

const version = 'wv1.'

export function createVisitorTokens(key: Uint8Array, clock: Pick<Clock, 'now'>): VisitorTokens {
  const signer = createSignedTokens(key)
  return {
    mint({ orgId, agentId, visitorId }) {
      const expiresAt = clock.now() + limits.tokenMs
      const payload = Buffer.from(JSON.stringify({ orgId, agentId, visitorId, expiresAt })).toString('base64url')
      return { token: signer.sign(version + payload), expiresAt }
    },
    verify(token, agent) {
      const text = token.length <= limits.tokenChars ? signer.read(token) : undefined
      if (!text?.startsWith(version)) return undefined
      const payload = Buffer.from(text.slice(version.length), 'base64url').toString()
      const { orgId, agentId, visitorId, expiresAt } = JSON.parse(payload)
      const isValid = orgId === agent.orgId && agentId === agent.agentId && expiresAt > clock.now()
      return isValid ? { orgId, agentId, visitorId } : undefined
    },
  }
}
