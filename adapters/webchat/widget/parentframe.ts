/** Tells the page around a framed chat the visitor's id. */
import type { Chat } from './chat.js'

/**
 * Answers `{ parleyAsks: 'visitor' }` of the parent page with `{ parleyVisitor }`, now and after every change of the
 * visitor. The answer goes to the origin that asked, which must be one of the chat's sites.
 */
export function answerParent(chat: Chat, sites: readonly string[]): void {
  let requestOrigin: string | undefined
  let lastSentId: string | undefined

  function send(): void {
    const id = chat.state().connection === 'open' ? chat.visitorId() : undefined
    if (requestOrigin === undefined || id === undefined || id === lastSentId) return
    lastSentId = id
    parent.postMessage({ parleyVisitor: id }, requestOrigin)
  }

  addEventListener('message', ({ source, origin, data }) => {
    if (source !== parent || !sites.includes(origin) || data?.parleyAsks !== 'visitor') return
    requestOrigin = origin
    lastSentId = undefined
    send()
  })
  chat.subscribe(send)
}
