/** A flow as it is kept: whole, and beside it the body that it was written for where it does not say so itself. */
import type { Item } from '../document.js'
import { isSame } from '../outcome.js'
import type { Flow } from '../resources/flow.js'
import { bodyHash } from './bodyhash.js'

type Playbook = Item<'playbooks'>

/** A flow with the members that every flow is read with; id and name are the playbook's unless it has its own. */
export function withFlowDefaults<F extends object>(flow: F, { id, name }: Pick<Playbook, 'id' | 'name'>) {
  return { id, name, description: '', slots: [], ...flow }
}

/**
 * The members of a playbook that a sent flow becomes. A flow that comes back unchanged together with the body still
 * belongs to the body it was written for, so that an edit of the body shows; one that is sent alone belongs to the body
 * there is.
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
