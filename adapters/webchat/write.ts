/** Writes what pages are told as frames. */
import type { Telling } from '../../core/channel/live.js'
import { webchat as limits } from '../../core/limits.js'
import { frameVersion, type ServerFrame } from './frames.js'
import type { Shown } from './render.js'

export function writeFrame(telling: Telling): string {
  return JSON.stringify(frameOf(telling))
}

function frameOf(telling: Telling): ServerFrame {
  const v = frameVersion
  switch (telling.kind) {
    case 'welcome': {
      const { address: visitorId, cursor, more } = telling
      return { v, type: 'welcome', visitorId, cursor, more, pingEveryMs: limits.lookEveryMs }
    }
    case 'message': {
      const { cursor, at, state, wire } = telling
      const { messageId, blocks } = wire as Shown
      return { v, type: 'message', cursor, messageId, at: iso(at), state, blocks: [...blocks] }
    }
    case 'said': {
      const { cursor, at, id, content } = telling
      const { text, media, place } = content
      return {
        v,
        type: 'said',
        cursor,
        id,
        at: iso(at),
        ...(text !== undefined && { text }),
        ...(media && { media: [...media] }),
        ...(place && { place }),
      }
    }
    case 'caughtUp':
    case 'ping':
      return { v, type: telling.kind, cursor: telling.cursor }
    case 'accepted':
      return { v, type: 'accepted', id: telling.id }
    case 'typing':
      return { v, type: 'typing', forMs: limits.typingForMs }
    case 'seen':
      return { v, type: 'seen', at: iso(telling.at) }
    case 'error': {
      const { kind: _kind, ...error } = telling
      return { v, type: 'error', ...error }
    }
  }
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
