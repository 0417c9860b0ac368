/** Who the visitor is to the gateway: a token, asked for once, kept, and made anew before it grows old. */
import type { Memory } from './memory.js'

export interface Visitor {
  readonly visitorId: string
  readonly token: string
  readonly expiresAt: string
}

export type Admission =
  | { readonly kind: 'visitor'; readonly visitor: Visitor; readonly isNew: boolean }
  /** For good: the site is not among those of the chat, or there is no such chat. */
  | { readonly kind: 'refused'; readonly why: 'elsewhere' | 'gone' }
  | { readonly kind: 'later'; readonly afterMs: number }

const name = 'visitor'
/** A token that is good for less than this is made anew. */
const renewBeforeMs = 15 * 24 * 60 * 60 * 1000

export function knownVisitor(memory: Memory): Visitor | undefined {
  try {
    const visitor = JSON.parse(memory.read(name) ?? 'null') as Visitor | null
    return visitor?.token ? visitor : undefined
  } catch {
    return undefined
  }
}

/** `ask`: the known token did not do, or nobody knows. Tabs that begin together become one visitor. */
export async function admit(chatUrl: string, memory: Memory, ask: boolean, now: number): Promise<Admission> {
  const known = knownVisitor(memory)
  if (known && !ask && Date.parse(known.expiresAt) - now > renewBeforeMs)
    return { kind: 'visitor', visitor: known, isNew: false }
  if (known || !('locks' in navigator)) return request(chatUrl, memory, known)
  return navigator.locks.request(`parley ${chatUrl}`, () => {
    const meanwhile = knownVisitor(memory)
    return meanwhile ? { kind: 'visitor' as const, visitor: meanwhile, isNew: true } : request(chatUrl, memory, known)
  })
}

async function request(chatUrl: string, memory: Memory, known: Visitor | undefined): Promise<Admission> {
  const body = JSON.stringify(known ? { token: known.token } : {})
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${chatUrl}/visitors`, { method: 'POST', headers, body, credentials: 'omit' }).catch(
    () => undefined,
  )
  if (answer?.status === 403) return { kind: 'refused', why: 'elsewhere' }
  if (answer?.status === 404) return { kind: 'refused', why: 'gone' }
  if (!answer?.ok) return { kind: 'later', afterMs: Number(answer?.headers.get('retry-after') ?? 0) * 1000 }
  const { visitorId, token, expiresAt } = (await answer.json()) as Visitor
  const visitor = { visitorId, token, expiresAt }
  memory.write(name, JSON.stringify(visitor))
  return { kind: 'visitor', visitor, isNew: known?.visitorId !== visitorId }
}
