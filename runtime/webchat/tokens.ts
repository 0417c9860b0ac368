/** Tokens of visitors: signed words that name an agent, a visitor and an end. They are checked without looking anything up. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AgentPlace } from '../../core/agentkey.js'
import { webchat as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'

export interface Visitor extends AgentPlace {
  readonly visitorId: string
}

export interface VisitorTokens {
  mint(visitor: Visitor): { readonly token: string; readonly expiresAt: number }
  /** Undefined for anything this installation did not write for that agent, or that has run out. */
  open(token: string, agent: AgentPlace): Visitor | undefined
}

const version = 'wv1'
const tokenPattern = /^wv1\.([\w-]{1,700})\.([\w-]{43})$/

export function openVisitorTokens(key: Uint8Array, clock: Pick<Clock, 'now'>): VisitorTokens {
  const signature = (payload: string) => createHmac('sha256', key).update(`${version}.${payload}`).digest()
  return {
    mint({ orgId, agentId, visitorId }) {
      const expiresAt = clock.now() + limits.tokenMs
      const payload = Buffer.from(JSON.stringify({ orgId, agentId, visitorId, expiresAt })).toString('base64url')
      return { token: `${version}.${payload}.${signature(payload).toString('base64url')}`, expiresAt }
    },
    open(token, agent) {
      const [, payload, signed] = (token.length <= limits.tokenChars && tokenPattern.exec(token)) || []
      if (!payload || !signed) return undefined
      if (!timingSafeEqual(Buffer.from(signed, 'base64url'), signature(payload))) return undefined
      const { orgId, agentId, visitorId, expiresAt } = JSON.parse(Buffer.from(payload, 'base64url').toString())
      const isGood = orgId === agent.orgId && agentId === agent.agentId && expiresAt > clock.now()
      return isGood ? { orgId, agentId, visitorId } : undefined
    },
  }
}
