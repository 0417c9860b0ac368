/** What people on each channel would see of a message, for whoever writes it: nothing is sent to find out. */
import type { ContentMessage } from '../amf/index.js'
import { type ChannelName, channelNames } from '../channel/names.js'
import { traitsOf } from '../channel/table.js'
import type { Block, Reader } from './contract.js'
import { type Segments, segmentsOf } from './gsm7.js'
import { floorText, render } from './render.js'

export interface Preview extends Partial<Segments> {
  readonly blocks: readonly Block[]
  readonly loss: readonly string[]
  /** Of SMS: the one text, and what it costs. */
  readonly text?: string
}

export function renderings(message: ContentMessage, reader: Reader): Record<ChannelName, Preview> {
  const previews = channelNames.map((channel): [ChannelName, Preview] => {
    const rendering = render(message, traitsOf(channel), reader)
    const { blocks, loss } = rendering
    if (channel !== 'sms') return [channel, { blocks, loss }]
    const text = floorText(rendering)
    return [channel, { blocks, loss, text, ...segmentsOf(text) }]
  })
  return Object.fromEntries(previews) as Record<ChannelName, Preview>
}
