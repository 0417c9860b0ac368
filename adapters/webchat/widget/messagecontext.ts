/** What the parts of one message share: whose it is, how it is answered, and whether it has been. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Chat } from './chat.js'
import type { VisitorEntry } from './transcript.js'

export interface MessageScope {
  readonly chat: Chat
  readonly messageId: string
  /** What the visitor said next; its questions are then answered. */
  readonly answer: VisitorEntry | undefined
}

export const MessageContext = createContext<MessageScope | undefined>(undefined)

export function useMessageContext(): MessageScope {
  const scope = useContext(MessageContext)
  if (!scope) throw new Error('a part of a message stands outside of any message')
  return scope
}
