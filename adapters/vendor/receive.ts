/** What Apple tells: one thing that one person did in each call. There are no receipts. */
import type { IngressRequest, Item, Received } from '../../core/channel/adapter.js'
import { readPostback } from '../../core/channel/postback.js'
import type { Inbound } from '../../core/conversation/hear.js'
import type { UserContent, UserMedia } from '../../core/conversation/state.js'
import { adapter as limits } from '../../core/limits.js'
import { asNumber, asText, isRecord, readJson } from '../kit/wire.js'
import { abilitiesIn } from './abilities.js'
import type { AppleAuth } from './descriptor.js'
import { isApples } from './token.js'

type Loose = Readonly<Record<string, unknown>>

export function receive(request: IngressRequest, auth: AppleAuth): Received {
  const isKnown = request.method === 'POST' && isApples(request.header('authorization'), auth, request.at)
  if (!isKnown) return { kind: 'refused' }
  const body = readJson(request.body)
  if (!isRecord(body)) return { kind: 'items', items: [{ problem: 'the body is not a JSON object' }] }
  const abilities = abilitiesIn(request.header('capability-list'))
  const items = itemsIn(body, auth)
  return { kind: 'items', items: abilities ? items.map((item) => able(item, abilities)) : items }
}

/** Whatever a person does, it is their device that tells of it. */
function able(item: Item, abilities: readonly string[]): Item {
  return 'problem' in item ? item : { ...item, abilities }
}

function itemsIn(message: Loose, { businessId }: AppleAuth): Item[] {
  const [id, address] = [named(message.id, limits.addressChars), named(message.sourceId, limits.addressChars)]
  if (!id || !address) return [{ problem: 'a message without `id` or `sourceId`' }]
  // One provider account may serve several businesses, and all of them call the same address.
  if (message.destinationId !== businessId) return [{ problem: 'something about another business' }]
  const inbound = inboundIn(message)
  if (!inbound) return [{ problem: 'a message of a type that is not understood' }]
  if (inbound.kind === 'system') return [{ id, address, inbound }]
  // Who left is back by writing: there is no other way to say it here. For everybody else it changes nothing.
  return [
    { id: `${id}:back`, address, inbound: { kind: 'system', system: 'optIn' } },
    { id, address, inbound },
  ]
}

function named(value: unknown, max: number): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= max ? value : undefined
}

function inboundIn(message: Loose): Inbound | undefined {
  switch (message.type) {
    case 'text':
      return saidIn(message)
    case 'interactive':
      return answerIn(message.interactiveData)
    case 'typing_start':
      return { kind: 'system', system: 'typing' }
    case 'close':
      return { kind: 'system', system: 'unsubscribed' }
    default:
      return undefined
  }
}

/** Where an attachment stands in the text there is a character that means nothing else. */
function saidIn({ body, attachments }: Loose): Inbound | undefined {
  const text = asText(body)?.replaceAll('\ufffc', '').trim()
  const media = Array.isArray(attachments) ? attachments.slice(0, limits.mediaPerItem).flatMap(mediaFrom) : []
  const content: UserContent = { ...(text && { text }), ...(media.length > 0 && { media }) }
  return Object.keys(content).length > 0 ? { kind: 'content', content } : undefined
}

/** It is encrypted where it lies, and the key stays with the call: only that there is one is told. */
function mediaFrom(attachment: unknown): UserMedia[] {
  if (!isRecord(attachment)) return []
  const { url, mimeType, name } = attachment
  const [type, called] = [named(mimeType, limits.detailChars), named(name, limits.detailChars)]
  const at = named(url, limits.textChars)
  return at ? [{ url: at, ...(type && { type }), ...(called && { name: called }) }] : []
}

interface Chosen {
  readonly identifier?: string
  readonly title?: string
}

/** What was chosen, in whichever of the three it was offered. A large answer is only a reference, and cannot be read. */
function answerIn(interactive: unknown): Inbound | undefined {
  const data = isRecord(interactive) && isRecord(interactive.data) ? interactive.data : {}
  const chosen = [...quickReplyIn(data['quick-reply']), ...rowsIn(data.listPicker), ...slotsIn(data)]
  for (const { identifier, title } of chosen) {
    const tap = identifier === undefined ? undefined : readPostback(identifier)
    if (tap) return { kind: 'tap', ...tap, ...(title !== undefined && { label: title }) }
  }
  const text = chosen.flatMap(({ title }) => title ?? []).join(', ')
  return text === '' ? undefined : { kind: 'content', content: { text } }
}

const chosenFrom = (item: unknown): Chosen[] =>
  isRecord(item) ? [{ identifier: asText(item.identifier), title: asText(item.title) }] : []

/** Answers name the chosen one by its identifier or by its place; the others come back with it. */
function quickReplyIn(reply: unknown): Chosen[] {
  if (!isRecord(reply)) return []
  const items: Chosen[] = Array.isArray(reply.items) ? reply.items.flatMap(chosenFrom) : []
  const identifier = asText(reply.selectedIdentifier)
  if (identifier !== undefined) return [items.find((item) => item.identifier === identifier) ?? { identifier }]
  const chosen = items[asNumber(reply.selectedIndex) ?? -1]
  return chosen ? [chosen] : []
}

function rowsIn(picker: unknown): Chosen[] {
  const sections = isRecord(picker) && Array.isArray(picker.sections) ? picker.sections : []
  return sections.flatMap((section: unknown) =>
    isRecord(section) && Array.isArray(section.items) ? section.items.flatMap(chosenFrom) : [],
  )
}

/** One source has the event inside the picker, another has it beside. */
function slotsIn({ event, timePicker }: Loose): Chosen[] {
  const inner = isRecord(timePicker) ? timePicker.event : undefined
  const picked = isRecord(event) ? event : inner
  return isRecord(picked) && Array.isArray(picked.timeslots) ? picked.timeslots.flatMap(chosenFrom) : []
}
