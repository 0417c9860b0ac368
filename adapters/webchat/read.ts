/** Reads the frames of pages. What cannot be read is told by the field that is wrong, and nothing of it counts. */
import { faultsOf } from '../../core/agent/check.js'
import type { Place } from '../../core/amf/values.js'
import type { Inbound } from '../../core/channel/inbound.js'
import type { FrameRead } from '../../core/channel/live.js'
import { readPostback } from '../../core/channel/postback.js'
import { isRecord, parseJson } from '../../core/json.js'
import { type ClientFrame, clientFrames, FrameId } from './frames.js'

type Type = keyof typeof clientFrames
const types = Object.keys(clientFrames)

export function readFrame(text: string): FrameRead {
  const value = parseJson(text)
  if (!isRecord(value)) return wrong('', 'must be a JSON object')
  const { type } = value
  if (typeof type !== 'string' || !types.includes(type))
    return wrong('type', `must be one of ${types.join(', ')}`, value)
  const [fault] = faultsOf(clientFrames[type as Type], value)
  if (fault) return wrong(fault.field, fault.message, value)
  const frame = value as unknown as ClientFrame
  const problem = frame.type === 'location' ? wrongPlace(frame.place) : undefined
  return problem ? wrong('place', problem, value) : meaningOf(frame)
}

function meaningOf(frame: ClientFrame): FrameRead {
  switch (frame.type) {
    case 'text':
      return said(frame.id, { kind: 'content', content: { text: frame.text } })
    case 'tap':
      return said(frame.id, { kind: 'tap', ...readPostback(frame.tap)!, ...(frame.label && { label: frame.label }) })
    case 'location':
      return said(frame.id, { kind: 'content', content: { place: frame.place } })
    case 'media': {
      const { media, text } = frame
      return said(frame.id, { kind: 'content', content: { media, ...(text !== undefined && { text }) } })
    }
    case 'typing':
      return { kind: 'typing' }
    case 'older':
      return { kind: 'older', before: frame.before }
    case 'delivered':
    case 'read':
      return { kind: 'mark', state: frame.type, messageIds: [...new Set(frame.messageIds)] }
  }
}

function said(id: string, inbound: Inbound): FrameRead {
  return { kind: 'said', id, inbound }
}

/** A frame is named by its id where that can be read. */
function wrong(field: string, message: string, { id }: { readonly id?: unknown } = {}): FrameRead {
  const isNamed = typeof id === 'string' && faultsOf(FrameId, id).length === 0
  return { kind: 'wrong', field, message, ...(isNamed && { id }) }
}

function wrongPlace({ address, latitude, longitude }: Place): string | undefined {
  if ((latitude === undefined) !== (longitude === undefined)) return 'must have a latitude with its longitude'
  return address === undefined && latitude === undefined
    ? 'must have an address, or a latitude and longitude'
    : undefined
}
