/** The log: one JSON object a line, its event first in mind, with nothing in it that belongs to a person or opens a door. */
import { pino } from 'pino'
import { type Fields, type PlainFields, plainFields } from './fields.js'
import { holdBack } from './flood.js'
import { openLines } from './lines.js'
import { redactLine } from './redact.js'

export type { Fields } from './fields.js'
export type Level = 'debug' | 'info' | 'warn' | 'error'

/**
 * Writes events. An event is a dotted name of what happened (`http.failed`), never a sentence with values in it: those
 * are fields. Nothing here throws, waits, or lets a token, a phone number or an e-mail address through. A whole number
 * of seven digits or more counts as a phone number, so large amounts are logged in large units and moments as ISO text.
 * Of a flood of warnings or errors of one name the first lines are written, and `log.left_out` says how many more came.
 */
export interface Log {
  debug(event: string, fields?: Fields): void
  info(event: string, fields?: Fields): void
  warn(event: string, fields?: Fields): void
  error(event: string, fields?: Fields): void
  /** A log whose every line carries these fields too. */
  child(fields: Fields): Log
}

export interface OpenLog {
  readonly log: Log
  /** Writes out what is held back; for the last line before the process ends. */
  flush(): Promise<void>
}

export interface LogOptions {
  /** Where lines go; stdout when absent. */
  readonly to?: { write(line: string): unknown }
  readonly level?: Level
  readonly now?: () => number
}

export function openLog(options: LogOptions = {}): OpenLog {
  const now = options.now ?? Date.now
  const stdout = options.to ? undefined : openLines(1)
  const lines = pino(
    {
      level: options.level ?? 'info',
      base: null,
      messageKey: 'event',
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (plain) => plain },
      hooks: { streamWrite: redactLine },
    },
    options.to ?? stdout!,
  )
  const flood = holdBack((of, count) => lines.warn({ of, lines: count }, 'log.left_out'))
  const write: Write = (level, event, fields) => {
    const isTrouble = level === 'warn' || level === 'error'
    if (lines.isLevelEnabled(level) && (!isTrouble || flood.admits(event))) lines[level](fields(), event)
  }
  async function flush(): Promise<void> {
    flood.end()
    await stdout?.flush()
  }
  return { log: logOver(write, {}), flush }
}

type Write = (level: Level, event: string, fields: () => PlainFields) => void

function logOver(write: Write, bound: Fields): Log {
  const at = (level: Level) => (event: string, fields?: Fields) =>
    attempt(() => write(level, event, () => ({ ...bound, ...plainFields(fields) })))
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => logOver(write, { ...bound, ...plainFields(fields) }),
  }
}

/** There is nowhere left to report that reporting failed. */
function attempt(write: () => void): void {
  try {
    write()
  } catch {}
}
