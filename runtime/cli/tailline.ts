/** Formats one traffic record as a line. */
import type { AgentLogEntry, MessageEntry } from '../../core/traffic/view.js'
import { sanitizeLine } from './output.js'
import type { TailRecord } from './tailsource.js'
import type { Paint, Tone } from './terminal.js'

const levelTones: Readonly<Record<AgentLogEntry['level'], Tone | undefined>> = {
  debug: 'quiet',
  info: undefined,
  warn: 'warning',
  error: 'alarm',
}

/** Enough characters to tell two people apart. */
const userChars = 12
const channelChars = 14

export function tailLine(record: TailRecord, paint: Paint): string {
  const when = paint(record.timestamp.slice(11, 23), 'quiet')
  const channel = record.kind === 'message' ? (record.emulatedChannel ?? record.channel) : record.channel
  const who = `${record.agentId}  ${(channel ?? '').padEnd(channelChars)}  ${(record.userId ?? '').slice(-userChars)}`
  return `${when}  ${sanitizeLine(who)}  ${record.kind === 'message' ? messagePart(record, paint) : logPart(record, paint)}`
}

function messagePart({ origin, type, subtype, text, error }: MessageEntry, paint: Paint): string {
  const way = origin === 'user' ? '<' : '>'
  if (error !== undefined) return paint(`${way} ${sanitizeLine(`${subtype ?? type}: ${error}`)}`, 'alarm')
  if (type === 'content' && text !== undefined) return `${way} ${sanitizeLine(text)}`
  return paint(`${way} ${sanitizeLine([subtype ?? type, text].filter(Boolean).join(': '))}`, 'quiet')
}

function logPart({ level, event, data }: AgentLogEntry, paint: Paint): string {
  const dataText = data && Object.keys(data).length > 0 ? ` ${JSON.stringify(data)}` : ''
  return paint(`- ${sanitizeLine(`${event}${dataText}`)}`, levelTones[level])
}
