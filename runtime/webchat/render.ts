/** Renders a transcript line as a frame; messages are rendered each time, by the current agent. */

import type { AgentRouting } from '../../core/agent/routing.js'
import type { ContentMessage, Part } from '../../core/amf/index.js'
import type { Adapter } from '../../core/channel/adapter.js'
import type { UserContent } from '../../core/channel/inbound.js'
import type { Contact, SocketCodec, TranscriptEvent } from '../../core/channel/socketcodec.js'
import { isRefusal } from '../../core/errors.js'
import { withHostedMedia } from '../../core/render/hostedmedia.js'
import { renderInSteps } from '../../core/render/render.js'
import type { Clock } from '../clock.js'
import { readerOf } from '../conversation/context.js'
import { hostMedia, isHosted } from '../delivery/media.js'
import type { Media } from '../media/contract.js'
import { runInSlices } from '../slices.js'

export type TranscriptEntry = { readonly cursor: number; readonly at: number } & (
  | {
      readonly message: {
        readonly id: string
        readonly content: ContentMessage
        readonly state: 'sent' | 'delivered' | 'read'
      }
    }
  | { readonly said: { readonly id: string; readonly content: UserContent } }
)

/** An adapter with a socket codec. */
export type SocketAdapter = Adapter & { readonly socket: SocketCodec }

export interface RenderContext {
  readonly media: Pick<Media, 'rehost'>
  readonly clock: Clock
  readonly adapter: SocketAdapter
  readonly agent: AgentRouting
  /** The visitor's id. */
  readonly address: string
}

/** The frame of a line; undefined while the media of its message cannot be looked up. */
export async function eventOf(entry: TranscriptEntry, context: RenderContext): Promise<TranscriptEvent | undefined> {
  if (!('said' in entry)) return messageEventOf(entry, context)
  const { cursor, at, said } = entry
  return { kind: 'said', cursor, at, id: said.id, content: said.content }
}

async function messageEventOf(
  { cursor, at, message: outbound }: Extract<TranscriptEntry, { readonly message: unknown }>,
  { media, clock, adapter, agent, address }: RenderContext,
): Promise<TranscriptEvent | undefined> {
  const { descriptor } = adapter
  const { id: messageId, content, state } = outbound
  const files = await hostMedia(media, content)
  if (isRefusal(files)) return undefined
  // Media that was removed after the send leaves its URL and the text beside it to the page.
  const rehosted = isHosted(files) ? withHostedMedia(content, files, descriptor.traits) : { message: content }
  const { message, links } = rehosted
  const reader = readerOf(agent)
  const steps = renderInSteps(message, descriptor.traits, links ? { ...reader, links } : reader)
  const { blocks } = await runInSlices(steps, clock)
  const [payload] = adapter.render(blocks, { address, messageId })
  return { kind: 'message', cursor, at, state, payload, contacts: contactsIn(content.parts) }
}

/** A part for another channel only is shown by its fallback. */
function contactsIn(parts: readonly Part[]): Contact[] {
  return parts.flatMap((part) => {
    if (part.type === 'native') return part.channel === 'webchat' ? [] : contactsIn(part.fallback)
    if (part.type !== 'share.contact') return []
    const { type: _type, ...contact } = part
    return [contact]
  })
}
