/** Writes what pages are told as frames. */
import type { LineTelling, Telling } from '../../core/channel/live.js'
import { webchat as limits } from '../../core/limits.js'
import { frameVersion, type LineFrame, type ServerFrame } from './frames.js'
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
    case 'message':
    case 'said':
      return lineOf(telling)
    case 'older': {
      const { from, lines, more } = telling
      return { v, type: 'older', from, lines: lines.map(lineOf), more }
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

function lineOf(telling: LineTelling): LineFrame {
  const { cursor } = telling
  const v = frameVersion
  const at = iso(telling.at)
  if (telling.kind === 'message') {
    const { state, wire, contacts } = telling
    const { messageId, blocks } = wire as Shown
    const shared = contacts.length > 0 && { contacts: [...contacts] }
    return { v, type: 'message', cursor, messageId, at, state, blocks: [...blocks], ...shared }
  }
  const { text, media, place } = telling.content
  return {
    v,
    type: 'said',
    cursor,
    id: telling.id,
    at,
    ...(text !== undefined && { text }),
    ...(media && { media: [...media] }),
    ...(place && { place }),
  }
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
