/**
 * The state token that goes with a browser to the provider and comes back. It is sealed, so that it cannot be forged
 * and the provider learns nothing of org and agent. The pending sign-in is saved under the hash of a random word in the
 * token.
 */
import { hash } from 'node:crypto'
import { oauth as limits } from '../../core/limits/index.js'
import { open, seal } from '../../runtime/secrets/seal.js'
import type { Holder } from './store.js'

export interface PendingRef extends Holder {
  /** The hash under which the pending sign-in is saved. */
  readonly stateHash: string
}

export interface SignInStates {
  mint(holder: Holder): { readonly state: string; readonly stateHash: string }
  /** Undefined for a token that this installation did not write. */
  open(state: string): PendingRef | undefined
}

const context = { orgId: '', kind: 'oauth state', id: '' } as const
const statePattern = /^[\w-]+$/

export function createSignInStates(key: Uint8Array, randomBytes: (count: number) => Uint8Array): SignInStates {
  return {
    mint({ orgId, agentId }) {
      const nonce = Buffer.from(randomBytes(limits.stateBytes)).toString('base64url')
      const text = JSON.stringify([nonce, orgId, ...(agentId === undefined ? [] : [agentId])])
      return { state: seal(key, context, text, randomBytes).toString('base64url'), stateHash: hashOf(nonce) }
    },
    open(state) {
      if (state.length > limits.stateChars || !statePattern.test(state)) return undefined
      try {
        const [nonce, orgId, agentId] = JSON.parse(open(key, context, Buffer.from(state, 'base64url')).toString())
        return { orgId, ...(agentId !== undefined && { agentId }), stateHash: hashOf(nonce) }
      } catch {
        return undefined
      }
    },
  }
}

function hashOf(nonce: string): string {
  return hash('sha256', nonce, 'hex')
}
