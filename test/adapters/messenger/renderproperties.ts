/** What holds for every message that an adapter renders: the provider takes each request, and nothing is left out. */
import fc from 'fast-check'
import { stringsIn, textsOf } from '../../../adapters/kit/suite/texts.js'
import type { ContentMessage, Part } from '../../../core/amf/index.js'
import type { Adapter, RenderContext } from '../../../core/channel/adapter.js'
import type { Block } from '../../../core/channel/blocks.js'
import { formatPostback } from '../../../core/channel/postback.js'
import type { Reader } from '../../../core/render/contract.js'
import { render } from '../../../core/render/index.js'
import { cases } from '../../core/render/cases.js'
import { message } from '../../core/render/messages.js'

const reader: Reader = { locale: 'en-US', zone: 'America/New_York' }
const runs = { numRuns: 300 }

type Rendering = Pick<Adapter<never, unknown>, 'descriptor' | 'render'>

/** `payloadError` judges one request as the provider does. */
export function forEveryMessage(
  adapter: Rendering,
  context: RenderContext,
  payloadError: (payload: never) => string | undefined,
  each: fc.Arbitrary<ContentMessage> = message,
): void {
  const { traits } = adapter.descriptor
  const check = (tried: ContentMessage) => {
    const { blocks } = render(withoutNative(tried, traits.channel), traits, reader)
    const payloads = adapter.render(blocks, context)
    for (const payload of payloads) {
      const problem = payloadError(payload as never)
      if (problem !== undefined) throw new Error(`${problem} in ${JSON.stringify(payload)}`)
    }
    checkCompleteness(blocks, payloads, context.messageId)
  }
  for (const [name, group] of Object.entries(cases)) {
    for (const [title, tried] of Object.entries(group)) {
      try {
        check(tried)
      } catch (error) {
        throw new Error(`${name}, ${title}: ${(error as Error).message}`)
      }
    }
  }
  fc.assert(fc.property(each, check), runs)
}

/** Other tests check the parts that are native to the channel. */
function withoutNative(tried: ContentMessage, channel: string): ContentMessage {
  const parts = tried.parts.flatMap((part): readonly Part[] =>
    part.type === 'native' && part.channel === channel ? part.fallback : [part],
  )
  return { ...tried, parts }
}

/**
 * Words of a block stand in the requests after those of the block before it began, taps in the order of the message.
 */
function checkCompleteness(blocks: readonly Block[], payloads: readonly unknown[], messageId: string): void {
  const sent = payloads.map((payload) => stringsIn(payload).join('\n'))
  let reached = 0
  for (const block of blocks) {
    const positions = [...textsOf(block), ...moreOf(block)].map((text) => positionOf(text, sent, reached))
    reached = Math.max(reached, Math.min(...positions))
  }
  const postbacks = blocks.flatMap((block) => tapsOf(block).map((tapIndex) => formatPostback({ messageId, tapIndex })))
  let from = 0
  const whole = sent.join('\n')
  for (const postback of postbacks) {
    const position = whole.indexOf(postback, from)
    if (position < 0) throw new Error(`${postback} is missing or out of order in ${whole}`)
    from = position
  }
}

/** What the suite of the kit leaves to each provider. */
function moreOf(block: Block): readonly string[] {
  if (block.kind === 'media') return block.media.thumbnailUrl === undefined ? [] : [block.media.thumbnailUrl]
  if (block.kind === 'list') return block.rows.flatMap(({ mediaUrl }) => mediaUrl ?? [])
  return block.kind === 'times' ? block.slots.map(({ label }) => label) : []
}

function tapsOf(block: Block): readonly number[] {
  if (block.kind === 'native') return []
  if (block.kind === 'list') return block.rows.map(({ tap }) => tap)
  if (block.kind === 'times') return block.slots.map(({ tap }) => tap)
  const cards = block.kind === 'card' ? [block.card] : block.kind === 'carousel' ? block.cards : []
  return [...cards.flatMap(({ chips = [] }) => chips), ...(block.chips ?? [])].flatMap(({ kind, tap }) =>
    kind === 'reply' && tap !== undefined ? [tap] : [],
  )
}

/** Markup and line breaks may be gone, words may not. */
function positionOf(text: string, sent: readonly string[], from: number): number {
  const words = text.match(/[\p{L}\p{N}\p{So}\p{Sc}]+/gu) ?? []
  if (words.length === 0) return from
  let at = from
  let offset = 0
  let first = -1
  for (const word of words) {
    while (at < sent.length && sent[at]!.indexOf(word, offset) < 0) {
      at += 1
      offset = 0
    }
    if (at >= sent.length) throw new Error(`${JSON.stringify(text)} is missing or out of order in ${sent.join('\n')}`)
    offset = sent[at]!.indexOf(word, offset) + word.length
    if (first < 0) first = at
  }
  return first
}
