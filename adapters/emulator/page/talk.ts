/** What is known of each phone, and how news adds to it. */
import type { Act, Channel, ChatLine, Fare, News, Refused } from './api.js'

export type Item =
  | {
      readonly kind: 'sent'
      readonly at: number
      readonly number: number
      readonly providerId: string
      readonly body: unknown
    }
  | { readonly kind: 'done'; readonly at: number; readonly number: number; readonly act: Act }
  /** A message that never reached the provider. */
  | { readonly kind: 'failed'; readonly at: number; readonly messageId: string }
  | ({ readonly kind: 'refused' } & Refused)

export interface PhoneTalk {
  readonly items: readonly Item[]
  readonly fares: readonly Fare[]
  readonly isOffline: boolean
  readonly isLost: boolean
  readonly isOptedOut: boolean
}

export interface Talk {
  readonly phones: Readonly<Partial<Record<Channel, PhoneTalk>>>
  readonly chat: readonly ChatLine[]
  /** The numbers of the last things that are known. */
  readonly sent: number
  readonly acts: number
}

export const silence: Talk = { phones: {}, chat: [], sent: 0, acts: 0 }
const quiet: PhoneTalk = { items: [], fares: [], isOffline: false, isLost: false, isOptedOut: false }

/** The same object when there is nothing new, so that nothing is drawn anew. */
export function withNews(talk: Talk, news: News): Talk {
  const phones = { ...talk.phones }
  let { sent, acts } = talk
  let isNew = JSON.stringify(news.chat) !== JSON.stringify(talk.chat)
  for (const told of news.phones) {
    const before = phones[told.channel] ?? quiet
    const done = news.acts.filter(({ channel, number }) => channel === told.channel && number > talk.acts)
    const came = told.sent.filter(({ number }) => number > talk.sent)
    const refused = newlyRefused(told.refusals, before.items)
    const changed =
      done.length + came.length + refused.length > 0 ||
      told.isOffline !== before.isOffline ||
      told.isLost !== before.isLost ||
      told.isOptedOut !== before.isOptedOut ||
      JSON.stringify(told.fares) !== JSON.stringify(before.fares)
    if (!changed && phones[told.channel]) continue
    isNew = true
    for (const { number } of came) sent = Math.max(sent, number)
    for (const { number } of done) acts = Math.max(acts, number)
    const { isOffline, isLost, isOptedOut, fares } = told
    const said: Item[] = [
      ...came.map(({ number, at, providerId, body }) => ({ kind: 'sent' as const, number, at, providerId, body })),
      ...done.map(({ number, at, act }) => ({ kind: 'done' as const, number, at, act })),
      ...failedIn(fares, before.fares),
      ...refused,
    ]
    const items = [...before.items, ...said].sort((a, b) => a.at - b.at)
    phones[told.channel] = { items, fares, isOffline, isLost, isOptedOut }
  }
  return isNew ? { phones, chat: news.chat, sent, acts } : talk
}

function failedIn(fares: readonly Fare[], before: readonly Fare[]): Item[] {
  const known = new Set(before.filter(({ state }) => state === 'failed').map(({ messageId }) => messageId))
  return fares
    .filter(
      ({ state, providerIds, messageId }) => state === 'failed' && providerIds.length === 0 && !known.has(messageId),
    )
    .map(({ messageId, at }) => ({ kind: 'failed', at, messageId }))
}

function newlyRefused(refused: readonly Refused[], items: readonly Item[]): Item[] {
  const known = new Set(items.flatMap((item) => (item.kind === 'refused' ? [item.number] : [])))
  return refused.filter(({ number }) => !known.has(number)).map((each) => ({ kind: 'refused', ...each }))
}
