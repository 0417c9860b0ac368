/** Answers of the channels area: a binding with its ingress address, and a 400 in the classic error form. */
import { chatNameOf } from '../../core/agentref.js'
import { errorTable, isRefusal, type Refusal, statusOf } from '../../core/errors.js'
import { errorBodies } from '../../runtime/http/openapi-errors.js'
import { type Answer, json } from '../../runtime/http/route.js'
import type { BindingView } from './schema.js'

/** The body of a 400 in this area; every other refusal is a problem document as elsewhere. */
export const ClassicError = errorBodies.classic

export function toClassicAnswer(refusal: Refusal): Answer | Refusal {
  const statusCode = statusOf(refusal)
  if (statusCode !== 400) return refusal
  return json(400, { statusCode, message: refusal.detail ?? errorTable[refusal.refused].title })
}

/** `gatewayUrl` includes the version prefix. */
export function createBindingAnswers(gatewayUrl: () => string) {
  const withUrls = (orgId: string, view: BindingView) => {
    const { id, channel, agentId } = view
    const chatUrl = `${gatewayUrl()}/webchat/${chatNameOf({ orgId, agentId })}`
    const chatUrls = channel === 'webchat' && { chatUrl, widgetUrl: `${chatUrl}/widget.js` }
    return { ...view, ingressUrl: `${gatewayUrl()}/ingress/${id}`, ...chatUrls }
  }
  return {
    withUrls,
    answer: (status: number, orgId: string, outcome: BindingView | Refusal): Answer | Refusal =>
      isRefusal(outcome) ? toClassicAnswer(outcome) : json(status, withUrls(orgId, outcome)),
  }
}
