/** Encodes events for pages as frames. */
import type { ServerEvent, TranscriptEvent } from '../../core/channel/socketcodec.js'
import { webchat as limits } from '../../core/limits/index.js'
import { type EntryFrame, frameVersion, type ServerFrame } from './frames.js'
import type { WebchatMessage } from './render.js'

export function encodeFrame(event: ServerEvent): string {
  return JSON.stringify(frameOf(event))
}

function frameOf(event: ServerEvent): ServerFrame {
  const v = frameVersion
  switch (event.kind) {
    case 'welcome': {
      const { address: visitorId, cursor, more } = event
      return { v, type: 'welcome', visitorId, cursor, more, pingEveryMs: limits.pollEveryMs }
    }
    case 'message':
    case 'said':
      return entryFrameOf(event)
    case 'older': {
      const { from, entries: lines, more } = event
      return { v, type: 'older', from, lines: lines.map(entryFrameOf), more }
    }
    case 'caughtUp':
    case 'ping':
      return { v, type: event.kind, cursor: event.cursor }
    case 'accepted':
      return { v, type: 'accepted', id: event.id }
    case 'typing':
      return { v, type: 'typing', forMs: limits.typingForMs }
    case 'seen':
      return { v, type: 'seen', at: iso(event.at) }
    case 'error': {
      const { kind: _kind, ...error } = event
      return { v, type: 'error', ...error }
    }
  }
}

function entryFrameOf(event: TranscriptEvent): EntryFrame {
  const { cursor } = event
  const v = frameVersion
  const at = iso(event.at)
  if (event.kind === 'message') {
    const { state, payload, contacts } = event
    const { messageId, blocks } = payload as WebchatMessage
    const shared = contacts.length > 0 && { contacts: [...contacts] }
    return { v, type: 'message', cursor, messageId, at, state, blocks: [...blocks], ...shared }
  }
  const { text, media, place } = event.content
  return {
    v,
    type: 'said',
    cursor,
    id: event.id,
    at,
    ...(text !== undefined && { text }),
    ...(media && { media: [...media] }),
    ...(place && { place }),
  }
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
