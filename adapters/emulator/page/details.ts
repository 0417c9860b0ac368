/** What of a bubble is looked into, and the call that fetches it. */
import type { AgentApi, Channel, Details } from './api.js'

export type MessageTarget =
  | { readonly kind: 'message'; readonly channel: Channel; readonly name: string }
  | { readonly kind: 'chat'; readonly cursor: number; readonly visitor?: string }

export type InspectTarget = MessageTarget | { readonly kind: 'act'; readonly number: number }

export function fetchDetails(api: AgentApi, target: InspectTarget): Promise<Details> {
  switch (target.kind) {
    case 'message':
      return api.fetchMessage(target.channel, target.name)
    case 'chat':
      return api.fetchTranscriptEntry(target.cursor, target.visitor)
    case 'act':
      return api.fetchAct(target.number)
  }
}
