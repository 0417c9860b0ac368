/** How one record of traffic looks on a line. */
import type { AgentLogEntry, MessageEntry } from '../../core/traffic/view.js'
import { oneLine } from './output.js'
import type { Told } from './tailsource.js'
import type { Paint, Tone } from './terminal.js'

const levelTones: Readonly<Record<AgentLogEntry['level'], Tone | undefined>> = {
  debug: 'quiet',
  info: undefined,
  warn: 'warning',
  error: 'alarm',
}

/** Enough to tell two people apart. */
const userChars = 12
const channelChars = 14

export function tailLine(told: Told, paint: Paint): string {
  const when = paint(told.timestamp.slice(11, 23), 'quiet')
  const shown = told.kind === 'message' ? (told.emulatedChannel ?? told.channel) : told.channel
  const who = `${told.agentId}  ${(shown ?? '').padEnd(channelChars)}  ${(told.userId ?? '').slice(-userChars)}`
  return `${when}  ${oneLine(who)}  ${told.kind === 'message' ? saidPart(told, paint) : logPart(told, paint)}`
}

function saidPart({ origin, type, subtype, text, error }: MessageEntry, paint: Paint): string {
  const way = origin === 'user' ? '<' : '>'
  if (error !== undefined) return paint(`${way} ${oneLine(`${subtype ?? type}: ${error}`)}`, 'alarm')
  if (type === 'content' && text !== undefined) return `${way} ${oneLine(text)}`
  return paint(`${way} ${oneLine([subtype ?? type, text].filter(Boolean).join(': '))}`, 'quiet')
}

function logPart({ level, event, data }: AgentLogEntry, paint: Paint): string {
  const about = data && Object.keys(data).length > 0 ? ` ${JSON.stringify(data)}` : ''
  return paint(`- ${oneLine(`${event}${about}`)}`, levelTones[level])
}
