/** Texts and postbacks of blocks, and how to find them in the payloads of an adapter. */

import type { Block, RenderedCard, RenderedChip } from '../../../core/channel/blocks.js'
import { formatPostback } from '../../../core/channel/postback.js'
import { isRecord, parseJson } from '../../../core/json.js'

/** All texts of a block that a person reads or acts upon. */
export function textsOf(block: Block): readonly string[] {
  switch (block.kind) {
    case 'text':
      return [block.text, ...chipTexts(block.chips)]
    case 'media':
      return present(block.text, block.media.alt, block.media.url, ...chipTexts(block.chips))
    case 'card':
      return [...cardTexts(block.card), ...chipTexts(block.chips)]
    case 'carousel':
      return [...block.cards.flatMap(cardTexts), ...chipTexts(block.chips)]
    case 'list':
      return present(block.text, ...block.rows.flatMap(({ label, description }) => [label, description]))
    case 'times':
      // A picker formats times in its own way, so only its tappable slots are searched for.
      return [block.text]
    case 'native':
      return stringsIn(block.payload)
  }
}

function cardTexts({ title, description, mediaUrl, chips }: RenderedCard): readonly string[] {
  return present(title, description, mediaUrl, ...chipTexts(chips))
}

function chipTexts(chips: readonly RenderedChip[] = []): readonly string[] {
  return chips.flatMap(({ label, url, phone, event }) => present(label, url, phone?.replace(/\D/g, ''), event?.title))
}

function present(...texts: readonly (string | undefined)[]): readonly string[] {
  return texts.filter((text) => text !== undefined)
}

/** Postbacks of a block. The provider must be able to return those of every reply, row and slot. */
export function postbacksOf(block: Block, messageId: string): { readonly required: string[]; readonly all: string[] } {
  const tappable = tappableIn(block).filter(({ tap }) => tap !== undefined)
  const postbackOf = ({ tap }: { readonly tap?: number }) => formatPostback({ messageId, tapIndex: tap! })
  return {
    required: tappable.filter(({ kind = 'reply' }) => kind === 'reply').map(postbackOf),
    all: tappable.map(postbackOf),
  }
}

function tappableIn(block: Block): readonly { readonly tap?: number; readonly kind?: RenderedChip['kind'] }[] {
  if (block.kind === 'native') return []
  if (block.kind === 'list') return block.rows
  if (block.kind === 'times') return block.slots
  const cards = block.kind === 'card' ? [block.card] : block.kind === 'carousel' ? block.cards : []
  return [...cards.flatMap(({ chips = [] }) => chips), ...(block.chips ?? [])]
}

/** All texts in a payload, in order; JSON and forms inside a text are parsed. */
export function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value, ...decodedTexts(value)]
  if (typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** Texts at the same path of all payloads, joined: an adapter may split one text over several. */
export function joinByPath(payloads: readonly unknown[]): string {
  const byPath = new Map<string, string>()
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'string') byPath.set(path, (byPath.get(path) ?? '') + value)
    else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) walk(inner, `${path}/${name}`)
    }
  }
  for (const payload of payloads) walk(payload, '')
  return [...byPath.values()].join('\n')
}

function decodedTexts(text: string): readonly string[] {
  if (/^\s*[[{]/.test(text)) {
    const inner = parseJson(text)
    return isRecord(inner) || Array.isArray(inner) ? stringsIn(inner) : []
  }
  if (!/%[0-9A-Fa-f]{2}/.test(text)) return []
  try {
    return [decodeURIComponent(text.replaceAll('+', ' '))]
  } catch {
    return []
  }
}

/** Letters, digits, marks, symbols and currency signs. Punctuation may be markup, and markup may be removed. */
const wordPattern = /[\p{L}\p{N}\p{M}\p{So}\p{Sc}]+/gu

/** The index of the text with the first word, if all words follow in order from `from` on; else -1. */
export function positionOf(text: string, payloads: readonly string[], from: number): number {
  const words = text.match(wordPattern) ?? []
  let at = from
  let offset = 0
  let first = -1
  for (const word of words) {
    let index = -1
    for (; at < payloads.length; at += 1, offset = 0) {
      index = payloads[at]!.indexOf(word, offset)
      if (index >= 0) break
    }
    if (index < 0) return -1
    if (first < 0) first = at
    offset = index + word.length
  }
  return words.length === 0 ? from : first
}
