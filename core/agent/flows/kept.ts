/** A flow as it is kept: whole, and beside it the body that it was written for where it does not say so itself. */
import type { Item } from '../document.js'
import type { Flow } from '../resources/flow.js'
import { isSame } from '../writing.js'
import { bodyHash } from './stale.js'

type Playbook = Item<'playbooks'>

/** A flow with the members that every flow is read with; id and name are the playbook's unless it has its own. */
export function wholeFlow<F extends object>(flow: F, { id, name }: Pick<Playbook, 'id' | 'name'>) {
  return { id, name, description: '', slots: [], ...flow }
}

/**
 * The members of a playbook that a sent flow becomes. A flow that comes back unchanged together with the body still
 * belongs to the body it was written for, so that an edit of the body shows; one that is sent alone belongs to the body
 * there is.
 */
export function keptFlow(
  flow: Flow,
  { id, name, body }: Pick<Playbook, 'id' | 'name' | 'body'>,
  before: Pick<Playbook, 'flow' | 'flowBodyHash'> | undefined,
  isSentAlone = false,
): Pick<Playbook, 'flow' | 'flowBodyHash'> {
  const whole = wholeFlow(flow, { id, name })
  if (flow.generatedFrom) return { flow: whole, flowBodyHash: undefined }
  const isOld = !isSentAlone && isSame(whole, before?.flow)
  return { flow: whole, flowBodyHash: (isOld ? before?.flowBodyHash : undefined) ?? bodyHash(body) }
}
