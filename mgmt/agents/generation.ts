/** What only the document can say when a flow is generated: what it may be made of, and whether one that was written can run. */

import { type FlowOrigin, type JudgedFlow, judgedFlow } from '../../core/agent/flows/generated.js'
import { type FlowMaterial, materialOf } from '../../core/agent/flows/prompt.js'
import { checkedUses, find } from '../../core/agent/index.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import type { Asked, Seen } from './resource.js'

export interface BriefAsked {
  readonly brief?: string
  readonly uses?: readonly string[]
}

export interface JudgeAsked {
  readonly uses?: readonly string[]
  readonly flow: unknown
  readonly origin: FlowOrigin
}

const notFound = refuse('resource.not_found')

export function generationBrief({ document }: Seen, { params, body }: Asked): FlowMaterial | Refusal {
  const { brief, uses } = (body ?? {}) as BriefAsked
  const playbook = find(document, 'playbooks', params.playbookId!)
  if (!playbook) return notFound
  const judged = checkedUses(document, uses ?? playbook.uses)
  return isRefusal(judged) ? judged : materialOf(document, playbook, judged, brief)
}

export function generationJudged({ document }: Seen, { params, body }: Asked): JudgedFlow | Refusal {
  const { uses, flow, origin } = body as JudgeAsked
  const playbook = find(document, 'playbooks', params.playbookId!)
  return playbook ? judgedFlow(document, playbook, uses ?? playbook.uses, flow, origin) : notFound
}
