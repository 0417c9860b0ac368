/** Previews of a message on every channel, for its author; nothing is sent. */
import type { ContentMessage } from '../amf/index.js'
import type { Block } from '../channel/blocks.js'
import { traitsOf } from '../channel/channeltraits.js'
import { type ChannelName, channelNames } from '../channelnames.js'
import { runToEnd, type Steps } from '../steps.js'
import type { Reader } from './contract.js'
import { type Segments, segmentsOf } from './gsm7.js'
import { lossOf } from './losscheck.js'
import { floorText, renderInSteps } from './render.js'

export interface Preview extends Partial<Segments> {
  readonly blocks: readonly Block[]
  readonly loss: readonly string[]
  /** SMS only: the text, and its segments. */
  readonly text?: string
}

export function previewChannels(message: ContentMessage, reader: Reader): Record<ChannelName, Preview> {
  return runToEnd(previewChannelsInSteps(message, reader))
}

/** The same in steps of bounded length, so that the caller can do other work in between. */
export function* previewChannelsInSteps(message: ContentMessage, reader: Reader): Steps<Record<ChannelName, Preview>> {
  const previews: Partial<Record<ChannelName, Preview>> = {}
  for (const channel of channelNames) {
    previews[channel] = yield* previewInSteps(message, channel, reader)
    yield
  }
  return previews as Record<ChannelName, Preview>
}

function* previewInSteps(message: ContentMessage, channel: ChannelName, reader: Reader): Steps<Preview> {
  const traits = traitsOf(channel)
  const { blocks } = yield* renderInSteps(message, traits, reader)
  yield
  const loss = yield* lossOf(message, blocks, traits, reader)
  if (channel !== 'sms') return { blocks, loss }
  const text = floorText({ blocks })
  return { blocks, loss, text, ...segmentsOf(text) }
}
