/**
 * The word that goes with a browser to the provider and comes back. It is sealed, so nobody can write one and a provider
 * learns nothing of the org and the agent that it leads to. What it leads to is kept under the hash of a word inside.
 */
import { hash } from 'node:crypto'
import { oauth as limits } from '../../core/limits.js'
import { open, seal } from '../../runtime/store/seal.js'
import type { Holder } from './store.js'

export interface Marked extends Holder {
  /** The hash under which the sign-in waits. */
  readonly mark: string
}

export interface States {
  mint(holder: Holder): { readonly state: string; readonly mark: string }
  /** Undefined for anything this installation did not write. */
  open(state: string): Marked | undefined
}

const context = { orgId: '', kind: 'oauth state', id: '' } as const
const statePattern = /^[\w-]+$/

export function openStates(key: Uint8Array, randomBytes: (count: number) => Uint8Array): States {
  return {
    mint({ orgId, agentId }) {
      const word = Buffer.from(randomBytes(limits.stateBytes)).toString('base64url')
      const text = JSON.stringify([word, orgId, ...(agentId === undefined ? [] : [agentId])])
      return { state: seal(key, context, text, randomBytes).toString('base64url'), mark: markOf(word) }
    },
    open(state) {
      if (state.length > limits.stateChars || !statePattern.test(state)) return undefined
      try {
        const [word, orgId, agentId] = JSON.parse(open(key, context, Buffer.from(state, 'base64url')).toString())
        return { orgId, ...(agentId !== undefined && { agentId }), mark: markOf(word) }
      } catch {
        return undefined
      }
    },
  }
}

function markOf(word: string): string {
  return hash('sha256', word, 'hex')
}
