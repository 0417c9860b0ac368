/** Context of the parts of one message: its chat, and the visitor's answer. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Chat } from './chat.js'
import type { VisitorEntry } from './transcript.js'

export interface MessageScope {
  readonly chat: Chat
  readonly messageId: string
  /** The visitor's next entry, which answers the questions of the message. */
  readonly answer: VisitorEntry | undefined
}

export const MessageContext = createContext<MessageScope | undefined>(undefined)

export function useMessageContext(): MessageScope {
  const scope = useContext(MessageContext)
  if (!scope) throw new Error('a part of a message stands outside of any message')
  return scope
}
