/**
 * Decodes frames of pages. An invalid frame yields an error with the name of the wrong field, and has no other effect.
 */
import { faultsOf } from '../../core/agent/schemacheck.js'
import type { Place } from '../../core/amf/values.js'
import type { Inbound } from '../../core/channel/inbound.js'
import { parsePostback } from '../../core/channel/postback.js'
import type { ClientEvent } from '../../core/channel/socketcodec.js'
import { isRecord, parseJson } from '../../core/json.js'
import { type ClientFrame, clientFrames, FrameId } from './frames.js'

type Type = keyof typeof clientFrames
const types = Object.keys(clientFrames)

export function decodeFrame(text: string): ClientEvent {
  const value = parseJson(text)
  if (!isRecord(value)) return invalidFrame('', 'must be a JSON object')
  const { type } = value
  if (typeof type !== 'string' || !types.includes(type))
    return invalidFrame('type', `must be one of ${types.join(', ')}`, value)
  const [fault] = faultsOf(clientFrames[type as Type], value)
  if (fault) return invalidFrame(fault.field, fault.message, value)
  const frame = value as unknown as ClientFrame
  const problem = frame.type === 'location' ? placeError(frame.place) : undefined
  return problem ? invalidFrame('place', problem, value) : toFrameRead(frame)
}

function toFrameRead(frame: ClientFrame): ClientEvent {
  switch (frame.type) {
    case 'text':
      return inboundFrame(frame.id, { kind: 'content', content: { text: frame.text } })
    case 'tap':
      return inboundFrame(frame.id, {
        kind: 'tap',
        ...parsePostback(frame.tap)!,
        ...(frame.label && { label: frame.label }),
      })
    case 'location':
      return inboundFrame(frame.id, { kind: 'content', content: { place: frame.place } })
    case 'media': {
      const { media, text } = frame
      return inboundFrame(frame.id, { kind: 'content', content: { media, ...(text !== undefined && { text }) } })
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

function inboundFrame(id: string, inbound: Inbound): ClientEvent {
  return { kind: 'said', id, inbound }
}

/** The error names the frame by its id when the id is valid. */
function invalidFrame(field: string, message: string, { id }: { readonly id?: unknown } = {}): ClientEvent {
  const hasId = typeof id === 'string' && faultsOf(FrameId, id).length === 0
  return { kind: 'invalid', field, message, ...(hasId && { id }) }
}

function placeError({ address, latitude, longitude }: Place): string | undefined {
  if ((latitude === undefined) !== (longitude === undefined)) return 'must have a latitude with its longitude'
  return address === undefined && latitude === undefined
    ? 'must have an address, or a latitude and longitude'
    : undefined
}
