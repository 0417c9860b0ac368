/** From blocks of the sms channel to submits, one for each part that a phone gets. */
import { createHash } from 'node:crypto'
import type { Addressed } from '../../../core/channel/adapter.js'
import type { Block } from '../../../core/render/contract.js'
import { partsOf, type TextPart } from './parts.js'

/** What the channel does not have is carried to `send`, which refuses it by name. */
export type SmppWire = TextPart | { readonly kind: 'unsupported'; readonly block: Block['kind'] }

export function render(blocks: readonly Block[], { messageId }: Addressed): readonly SmppWire[] {
  return blocks.flatMap((block, place): readonly SmppWire[] =>
    block.kind === 'text'
      ? partsOf(block.text, referenceOf(messageId, place))
      : [{ kind: 'unsupported', block: block.kind }],
  )
}

/** The same each time the message is tried, and unlike for the texts of one message, which go to one phone. */
function referenceOf(messageId: string, place: number): number {
  return (createHash('sha256').update(messageId).digest()[0]! + place) & 0xff
}
