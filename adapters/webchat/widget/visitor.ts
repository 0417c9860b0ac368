/** The visitor's token: requested once, saved, and renewed before it expires. */
import type { ChatStorage } from './storage.js'

export interface Visitor {
  readonly visitorId: string
  readonly token: string
  readonly expiresAt: string
}

export type Admission =
  | { readonly kind: 'visitor'; readonly visitor: Visitor; readonly isNew: boolean }
  /** Permanent: the site is not among those of the chat, or the chat does not exist. */
  | { readonly kind: 'refused'; readonly reason: 'elsewhere' | 'closed' }
  | { readonly kind: 'later'; readonly afterMs: number }

const name = 'visitor'
/** A token that expires sooner than this is renewed. */
const renewBeforeMs = 15 * 24 * 60 * 60 * 1000

export function savedVisitor(storage: ChatStorage): Visitor | undefined {
  try {
    const visitor = JSON.parse(storage.read(name) ?? 'null') as Visitor | null
    return visitor?.token ? visitor : undefined
  } catch {
    return undefined
  }
}

/**
 * `mustRenew`: the gateway refused the saved token, or its state is unknown. Tabs that start together share one
 * visitor.
 */
export async function requestAdmission(
  chatUrl: string,
  storage: ChatStorage,
  mustRenew: boolean,
  now: number,
): Promise<Admission> {
  const saved = savedVisitor(storage)
  if (saved && !mustRenew && Date.parse(saved.expiresAt) - now > renewBeforeMs)
    return { kind: 'visitor', visitor: saved, isNew: false }
  if (saved || !('locks' in navigator)) return requestToken(chatUrl, storage, saved)
  return navigator.locks.request(`parley ${chatUrl}`, () => {
    const created = savedVisitor(storage)
    return created ? { kind: 'visitor' as const, visitor: created, isNew: true } : requestToken(chatUrl, storage, saved)
  })
}

async function requestToken(chatUrl: string, storage: ChatStorage, saved: Visitor | undefined): Promise<Admission> {
  const body = JSON.stringify(saved ? { token: saved.token } : {})
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${chatUrl}/visitors`, { method: 'POST', headers, body, credentials: 'omit' }).catch(
    () => undefined,
  )
  if (answer?.status === 403) return { kind: 'refused', reason: 'elsewhere' }
  if (answer?.status === 404) return { kind: 'refused', reason: 'closed' }
  if (!answer?.ok) return { kind: 'later', afterMs: Number(answer?.headers.get('retry-after') ?? 0) * 1000 }
  const { visitorId, token, expiresAt } = (await answer.json()) as Visitor
  const visitor = { visitorId, token, expiresAt }
  storage.write(name, JSON.stringify(visitor))
  return { kind: 'visitor', visitor, isNew: saved?.visitorId !== visitorId }
}
