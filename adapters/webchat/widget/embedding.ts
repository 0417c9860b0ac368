/** The chat in a frame: the page around it may ask for the id of the visitor. */
import type { Chat } from './chat.js'

/**
 * Answers `{ parleyAsks: 'visitor' }` of the parent page with `{ parleyVisitor }`, now and whenever the visitor changes.
 * The answer goes to the origin that asked, which must be one of the chat's sites.
 */
export function answerParent(chat: Chat, sites: readonly string[]): void {
  let asking: string | undefined
  let sent: string | undefined

  function send(): void {
    const id = chat.state().link === 'open' ? chat.visitorId() : undefined
    if (asking === undefined || id === undefined || id === sent) return
    sent = id
    parent.postMessage({ parleyVisitor: id }, asking)
  }

  addEventListener('message', ({ source, origin, data }) => {
    if (source !== parent || !sites.includes(origin) || data?.parleyAsks !== 'visitor') return
    asking = origin
    sent = undefined
    send()
  })
  chat.follow(send)
}
