/** Renders fitted sms blocks as submits, one for each part. */
import { createHash } from 'node:crypto'
import type { RenderContext } from '../../../core/channel/adapter.js'
import type { Block } from '../../../core/channel/blocks.js'
import { partsOf, type TextPart } from './parts.js'

export type SmppPayload = TextPart

export function render(blocks: readonly Block[], { messageId }: RenderContext): readonly SmppPayload[] {
  return blocks.flatMap((block, index) => {
    if (block.kind === 'text') return partsOf(block.text, referenceOf(messageId, index))
    throw new Error(`the traits of smpp have no ${block.kind}`)
  })
}

/** Stable across retries of a message, and distinct for the texts of one message, which go to one phone. */
function referenceOf(messageId: string, index: number): number {
  return (createHash('sha256').update(messageId).digest()[0]! + index) & 0xff
}
