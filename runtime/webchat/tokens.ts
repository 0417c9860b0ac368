/** Tokens of visitors: signed words that name an agent, a visitor and an end. They are checked without looking anything up. */
import type { AgentPlace } from '../../core/agentkey.js'
import { webchat as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import { createSignedWords } from '../http/signed.js'

export interface Visitor extends AgentPlace {
  readonly visitorId: string
}

export interface VisitorTokens {
  mint(visitor: Visitor): { readonly token: string; readonly expiresAt: number }
  /** Undefined for anything this installation did not write for that agent, or that has run out. */
  open(token: string, agent: AgentPlace): Visitor | undefined
}

const version = 'wv1.'

export function openVisitorTokens(key: Uint8Array, clock: Pick<Clock, 'now'>): VisitorTokens {
  const words = createSignedWords(key)
  return {
    mint({ orgId, agentId, visitorId }) {
      const expiresAt = clock.now() + limits.tokenMs
      const payload = Buffer.from(JSON.stringify({ orgId, agentId, visitorId, expiresAt })).toString('base64url')
      return { token: words.sign(version + payload), expiresAt }
    },
    open(token, agent) {
      const text = token.length <= limits.tokenChars ? words.read(token) : undefined
      if (!text?.startsWith(version)) return undefined
      const payload = Buffer.from(text.slice(version.length), 'base64url').toString()
      const { orgId, agentId, visitorId, expiresAt } = JSON.parse(payload)
      const isGood = orgId === agent.orgId && agentId === agent.agentId && expiresAt > clock.now()
      return isGood ? { orgId, agentId, visitorId } : undefined
    },
  }
}
