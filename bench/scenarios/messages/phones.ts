/** The people of a bench: their texts reach the node through the provider's callback. */
import { signatureHeader, signatureOf } from '../../../adapters/emulator/adapter.js'

/** What a process that plays the phones needs. */
export interface Phones {
  /** The URL of the provider's callback. */
  readonly url: string
  readonly bindingId: string
  readonly keyHex: string
}

/** A person writes a text; `id` is the provider's id of it. */
export interface TextMessage {
  readonly id: string
  readonly from: string
  readonly text: string
}

/** Resolves when all of it is durable. */
export async function sendTexts({ url, bindingId, keyHex }: Phones, items: readonly TextMessage[]): Promise<void> {
  const body = Buffer.from(JSON.stringify({ items }))
  const signature = signatureOf(Buffer.from(keyHex, 'hex'), bindingId, body)
  const headers = { 'content-type': 'application/json', [signatureHeader]: signature }
  const answer = await fetch(url, { method: 'POST', headers, body })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`the ingress answered ${answer.status}: ${text}`)
}

export const greeting = 'Hello'
const peoplePerCall = 250

/** Each person writes once, so that the agent knows them. */
export async function greetAll(phones: Phones, people: number): Promise<void> {
  const greetings = Array.from({ length: people }, (_, person): TextMessage => {
    const from = addressOf(person)
    return { id: `first-${from}`, from, text: greeting }
  })
  for (let at = 0; at < people; at += peoplePerCall) await sendTexts(phones, greetings.slice(at, at + peoplePerCall))
}

export function addressOf(person: number): string {
  return `+1555${String(person).padStart(7, '0')}`
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
