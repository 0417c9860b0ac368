/**
 * The document's part in generating a flow: the material that a flow may refer to, and the check of a generated flow.
 */

import { buildMaterial, type FlowMaterial } from '../../core/agent/flows/prompt.js'
import { checkUses, findItem } from '../../core/agent/index.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { checkFlow, type FlowCheck, type FlowOrigin } from '../../core/flow/flowcheck.js'
import type { EndpointRequest, ReadContext } from './endpoint.js'

export interface BriefInput {
  readonly brief?: string
  readonly uses?: readonly string[]
}

export interface ValidateFlowInput {
  readonly uses?: readonly string[]
  readonly flow: unknown
  readonly origin: FlowOrigin
}

const notFound = refuse('resource.not_found')

export function generationBrief({ document }: ReadContext, { params, body }: EndpointRequest): FlowMaterial | Refusal {
  const { brief, uses } = (body ?? {}) as BriefInput
  const playbook = findItem(document, 'playbooks', params.playbookId!)
  if (!playbook) return notFound
  const validated = checkUses(document, uses ?? playbook.uses)
  return isRefusal(validated) ? validated : buildMaterial(document, playbook, validated, brief)
}

export function generationValidation(
  { document }: ReadContext,
  { params, body }: EndpointRequest,
): FlowCheck | Refusal {
  const { uses, flow, origin } = body as ValidateFlowInput
  const playbook = findItem(document, 'playbooks', params.playbookId!)
  return playbook ? checkFlow(document, playbook, uses ?? playbook.uses, flow, origin) : notFound
}
