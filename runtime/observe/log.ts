/** The log: one JSON object per line, without personal data and without secrets. */
import { pino } from 'pino'
import { createLineWriter } from './linewriter.js'
import { createLogThrottle } from './logthrottle.js'
import { redactLine } from './redaction.js'
import { type Fields, type SanitizedFields, sanitizeFields } from './sanitizer.js'

export type { Fields } from './sanitizer.js'
export type Level = 'debug' | 'info' | 'warn' | 'error'

/**
 * Writes events. An event is a dotted name of what happened (`http.failed`), never a sentence with values in it: values
 * are fields. No method throws, waits, or lets a token, a phone number or an e-mail address through. A whole number of
 * seven digits or more counts as a phone number, so large amounts are logged in large units and moments as ISO text. Of
 * a flood of warnings or errors of one name the first lines are written, and `log.suppressed` reports the number of the
 * others.
 */
export interface Log {
  debug(event: string, fields?: Fields): void
  info(event: string, fields?: Fields): void
  warn(event: string, fields?: Fields): void
  error(event: string, fields?: Fields): void
  /** A log that adds these fields to every line. */
  child(fields: Fields): Log
}

export interface LogHandle {
  readonly log: Log
  /** Writes the buffered lines; for the last line before the process ends. */
  flush(): Promise<void>
}

export interface LogOptions {
  /** Where lines are written; absent: stdout. */
  readonly destination?: { write(line: string): unknown }
  readonly level?: Level
  readonly now?: () => number
}

export function createLog(options: LogOptions = {}): LogHandle {
  const now = options.now ?? Date.now
  const stdout = options.destination ? undefined : createLineWriter(1)
  const output = pino(
    {
      level: options.level ?? 'info',
      base: null,
      messageKey: 'event',
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (plain) => plain },
      hooks: { streamWrite: redactLine },
    },
    options.destination ?? stdout!,
  )
  const throttle = createLogThrottle((of, count) => output.warn({ of, lines: count }, 'log.suppressed'))
  const write: Write = (level, event, fields) => {
    const isThrottled = level === 'warn' || level === 'error'
    if (output.isLevelEnabled(level) && (!isThrottled || throttle.allows(event))) output[level](fields(), event)
  }
  async function flush(): Promise<void> {
    throttle.flush()
    await stdout?.flush()
  }
  return { log: createBoundLog(write, {}), flush }
}

type Write = (level: Level, event: string, fields: () => SanitizedFields) => void

function createBoundLog(write: Write, bound: Fields): Log {
  const at = (level: Level) => (event: string, fields?: Fields) =>
    ignoreErrors(() => write(level, event, () => ({ ...bound, ...sanitizeFields(fields) })))
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => createBoundLog(write, { ...bound, ...sanitizeFields(fields) }),
  }
}

/** An error of the logging itself cannot be reported anywhere. */
function ignoreErrors(write: () => void): void {
  try {
    write()
  } catch {}
}
