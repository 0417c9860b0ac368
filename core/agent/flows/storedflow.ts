/** The stored form of a flow: with all members, and with a hash of its body when it has no `generatedFrom`. */
import type { Item } from '../document.js'
import { isSame } from '../outcome.js'
import type { Flow } from '../resources/flow.js'
import { bodyHash } from './bodyhash.js'

type Playbook = Item<'playbooks'>

/** A flow with the members that every read shows; id and name default to the playbook's. */
export function withFlowDefaults<F extends object>(flow: F, { id, name }: Pick<Playbook, 'id' | 'name'>) {
  return { id, name, description: '', slots: [], ...flow }
}

/**
 * The members of a playbook that a received flow becomes. A flow that is sent back unchanged together with the body
 * keeps the hash of the body it was written for, so that an edit of the body shows; a flow that is sent alone takes the
 * hash of the current body.
 */
export function storedFlow(
  flow: Flow,
  { id, name, body }: Pick<Playbook, 'id' | 'name' | 'body'>,
  before: Pick<Playbook, 'flow' | 'flowBodyHash'> | undefined,
  isFlowOnly = false,
): Pick<Playbook, 'flow' | 'flowBodyHash'> {
  const completeFlow = withFlowDefaults(flow, { id, name })
  if (flow.generatedFrom) return { flow: completeFlow, flowBodyHash: undefined }
  const isUnchanged = !isFlowOnly && isSame(completeFlow, before?.flow)
  return { flow: completeFlow, flowBodyHash: (isUnchanged ? before?.flowBodyHash : undefined) ?? bodyHash(body) }
}
