/** What a conversation tells of a send's message, folded into the send: each piece once, and never backwards. */
import type { SendNews } from '../conversation/sendnews.js'
import { bindingLookMs, type Step, stepped, troubleOf, troubles } from './machine.js'
import type { Send } from './send.js'

type Receipts = NonNullable<Send['receipts']>

const receiptOf = { sent: 'sentAt', delivered: 'deliveredAt', read: 'readAt', failed: 'failedAt' } as const

/** It waits for its binding, however often that is looked at. */
export function heldForBinding(at: number, timeScale: number, detail?: string): Step {
  const until = at + bindingLookMs(timeScale)
  const why = { reason: 'binding_error', heldFor: 'binding_error', ...(detail !== undefined && { detail }) } as const
  return { on: 'held', at, until, ...why }
}

/** The very same send when the news changes nothing: old news, or told before. */
export function told<S extends Send>(send: S, news: SendNews, timeScale: number): S {
  if (news.attempt !== send.attempts) return send
  if (news.state === 'responded') {
    return send.respondedAt === undefined ? { ...send, messageId: news.messageId, respondedAt: news.at } : send
  }
  if (news.state === 'withheld') {
    const back: Step =
      news.reason === undefined
        ? { on: 'held', at: news.at, until: news.at }
        : heldForBinding(news.at, timeScale, news.detail)
    return (send.state === 'sending' && stepped(send, back, timeScale)) || send
  }
  const step = stepOf(send, news)
  const after = step && stepped(send, step, timeScale)
  if (after && news.state === 'failed') return after
  return withReceipt(after ?? send, news)
}

/** Only a send on its way is moved by news; afterwards they are receipts. */
function stepOf({ state }: Send, { state: said, at, messageId, reason = '', detail, again = 'never' }: SendNews) {
  if (state !== 'sending' && state !== 'queued') return undefined
  if (said !== 'failed') return { on: 'handedOver', at, messageId } satisfies Step
  const { on, reason: ours } = troubles[troubleOf(reason, again)]
  return { on, at, reason: ours, detail: detail ?? reason } satisfies Step
}

function withReceipt<S extends Send>(send: S, { state, at, messageId, reason, detail }: SendNews): S {
  if (state === 'responded' || state === 'withheld' || send.state !== 'sent') return send
  // It went wrong for a while and then went all the same.
  if (state === 'failed' && at < (send.sentAt ?? 0)) return send
  const name = receiptOf[state]
  const receipts: Receipts = send.receipts ?? {}
  if (receipts[name] !== undefined) return send
  const failReason = state === 'failed' ? (reason ?? detail) : undefined
  const known = { [name]: at, ...receipts, ...(failReason !== undefined && { failReason }) }
  return Object.assign({}, send, { messageId: send.messageId ?? messageId, receipts: known })
}
