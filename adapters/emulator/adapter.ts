/** The adapter of the provider `emulator`: blocks go to emulated phones, and what phones do comes back as items. */
import { createHmac } from 'node:crypto'
import { providerForm } from '../../core/catalogs/index.js'
import type { Adapter, IngressRequest, IngressResult } from '../../core/channel/adapter.js'
import { contractVersion } from '../../core/channel/adapter.js'
import type { Block, RenderedChip } from '../../core/channel/blocks.js'
import { traitsOf } from '../../core/channel/channeltraits.js'
import { formatPostback } from '../../core/channel/postback.js'
import type { ChannelName } from '../../core/channelnames.js'
import { readJson, sameText } from '../kit/http.js'
import type { Phones } from './phones.js'
import { itemsIn } from './receive.js'

export const provider = 'emulator'
export const signatureHeader = 'x-emulator-signature'

/** Every tappable entry of a block carries its postback. */
type EmulatorPayload = { readonly block: unknown } | { readonly signal: string }

/** `key` signs the calls of phones, so that no other client can forge them. */
export function emulatorAdapter(
  channel: ChannelName,
  phones: Phones,
  key: Uint8Array,
): Adapter<unknown, EmulatorPayload> {
  const traits = traitsOf(channel)
  return {
    descriptor: {
      contract: contractVersion,
      channel,
      provider,
      traits,
      form: providerForm(channel, provider),
      headers: [signatureHeader],
      bulkPerSecond: 'unlimited',
    },
    render: (blocks, { messageId }) => blocks.map((block) => ({ block: withPostbacks(block, messageId) })),
    signal: (signal) => (signal === 'typing' && !traits.typing ? undefined : { signal }),
    async send(wire, { bindingId, address, id }) {
      const refusal = phones.refusalOf(bindingId, address)
      if (refusal) return { kind: 'refused', reason: refusal.reason, retry: retryOf[refusal.again] }
      return { kind: 'sent', providerId: phones.show({ bindingId, address, id, wire }) }
    },
    receive: (request) => receive(request, key),
  }
}

/** Retries by the words of the emulator's own API. */
const retryOf = { later: 'later', elsewhere: 'otherChannel', never: 'never' } as const

function receive({ bindingId, header, body }: IngressRequest, key: Uint8Array): IngressResult {
  if (!sameText(header(signatureHeader), signatureOf(key, bindingId, body))) return { kind: 'refused' }
  const read = readJson(body)
  return read === undefined
    ? { kind: 'unreadable', problem: 'the body is not JSON' }
    : { kind: 'items', items: itemsIn(read) }
}

export function signatureOf(key: Uint8Array, bindingId: string, body: Uint8Array): string {
  return createHmac('sha256', key).update(`${bindingId}\n`).update(body).digest('hex')
}

function withPostbacks(block: Block, messageId: string): unknown {
  const tappable = <T extends { readonly tap?: number }>({ tap, ...rest }: T) => ({
    ...rest,
    ...(tap !== undefined && { postback: formatPostback({ messageId, tapIndex: tap }) }),
  })
  const withTaps = <T extends { readonly chips?: readonly RenderedChip[] }>(value: T) => ({
    ...value,
    ...(value.chips && { chips: value.chips.map(tappable) }),
  })
  switch (block.kind) {
    case 'card':
      return { ...withTaps(block), card: withTaps(block.card) }
    case 'carousel':
      return { ...withTaps(block), cards: block.cards.map(withTaps) }
    case 'list':
      return { ...block, rows: block.rows.map(tappable) }
    case 'times':
      return { ...block, slots: block.slots.map(tappable) }
    case 'native':
      return block
    default:
      return withTaps(block)
  }
}
