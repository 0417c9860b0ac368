/** What the parts of one message share: whose it is, how it is answered, and whether it has been. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Chat } from './chat.js'
import type { OwnLine } from './transcript.js'

export interface Asking {
  readonly chat: Chat
  readonly messageId: string
  /** What the visitor said next; its questions are then answered. */
  readonly answer: OwnLine | undefined
}

export const AskingContext = createContext<Asking | undefined>(undefined)

export function useAsking(): Asking {
  const asking = useContext(AskingContext)
  if (!asking) throw new Error('a part of a message stands outside of any message')
  return asking
}
