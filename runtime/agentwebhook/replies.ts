/** Parses an agent's reply to an event into messages: at once, or line by line while the agent streams it. */

import type { Readable } from 'node:stream'
import type { OutboundMessage } from '../../core/amf/index.js'
import { validateMessage } from '../../core/amf/validation.js'
import { type AmlProblem, compile } from '../../core/aml/index.js'
import { ByteQueue } from '../../core/bytequeue.js'
import type { LogNote } from '../../core/catalogs/logevents.js'
import { isWithinJsonBounds } from '../../core/jsonbounds.js'
import { agentWebhook, amf, ingressBounds, longWork } from '../../core/limits/index.js'
import type { SliceClock } from '../slices.js'

/** A message, or a problem with a part of the reply; the other parts still count. */
export type ReplyPart = ({ readonly message: OutboundMessage } | { readonly problem: string }) & {
  /** Lines for the agent's log about how the part was parsed. */
  readonly notes?: readonly LogNote[]
}

const types = { json: 'application/json', lines: 'application/x-ndjson', aml: 'text/svc-aml' } as const

export interface ReplySettings {
  readonly now: number
  readonly zone: string
  /** The remaining time for an unstreamed reply. */
  readonly bodyTimeoutMs: number
  /** The longest wait for the next line of a streamed reply. */
  readonly lineTimeoutMs: number
  readonly clock: SliceClock
}

/** Whether the agent streams its messages line by line. */
export function isStreamed(contentType: string): boolean {
  return mediaTypeOf(contentType) === types.lines
}

function mediaTypeOf(contentType: string): string {
  return contentType.split(';')[0]!.trim().toLowerCase()
}

/** Yields each part as soon as it is read. Throws when the connection breaks or the reply takes too long. */
export async function* readReply(
  contentType: string,
  body: Readable,
  settings: ReplySettings,
): AsyncGenerator<ReplyPart> {
  const type = mediaTypeOf(contentType)
  if (isStreamed(contentType)) {
    for await (const line of readLines(body, settings)) yield typeof line === 'string' ? parseLine(line) : line
    return
  }
  const deadline = startDeadline(body, settings.bodyTimeoutMs)
  const text = await readBody(body, settings).finally(deadline.stop)
  if (typeof text !== 'string') yield text
  else if (text.trim() === '') return
  else if (type === types.json) yield* parseJsonReply(text)
  else if (type === types.aml) yield parseAmlReply(text, settings)
  else
    yield {
      problem: `The reply is ${type === '' ? 'of no type' : type}, and only ${Object.values(types).join(', ')} are read.`,
    }
}

const tooLarge: ReplyPart = { problem: `The reply is larger than ${agentWebhook.replyBytes} bytes.` }
const tooManyLines: ReplyPart = { problem: `The reply has more than ${agentWebhook.replyLines} lines.` }
const notUtf8: ReplyPart = { problem: 'The reply is not UTF-8.' }

async function readBody(body: Readable, { clock }: ReplySettings): Promise<string | ReplyPart> {
  const pieces: Buffer[] = []
  const yieldTurn = createTurnYield(clock)
  let bytes = 0
  for await (const piece of body as AsyncIterable<Buffer>) {
    await yieldTurn()
    bytes += piece.length
    if (bytes > agentWebhook.replyBytes) return tooLarge
    pieces.push(piece)
  }
  return decodeUtf8(Buffer.concat(pieces)) ?? notUtf8
}

/** The decoder keeps no state between texts. */
const decoder = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

const lineFeed = 0x0a
const isBlank = (byte: number | undefined) => byte === lineFeed || byte === 0x0d || byte === 0x20 || byte === 0x09

/**
 * Yields lines as they are complete; the bounds apply to all lines together. A blank line only restarts the line
 * timeout. Parsing yields to the event loop every few milliseconds, however the body is chunked.
 */
async function* readLines(body: Readable, { lineTimeoutMs, clock }: ReplySettings): AsyncGenerator<string | ReplyPart> {
  const buffer = new ByteQueue()
  const yieldTurn = createTurnYield(clock)
  const deadline = startDeadline(body, lineTimeoutMs)
  let bytes = 0
  let lines = 0
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      await yieldTurn()
      bytes += piece.length
      if (bytes > agentWebhook.replyBytes) return yield tooLarge
      let isLineOver = false
      let from = 0
      while (from < piece.length) {
        // Leading blanks are not part of a line, so a blank line costs no more than its bytes.
        for (; buffer.length === 0 && isBlank(piece[from]); from++) isLineOver ||= piece[from] === lineFeed
        // The buffer holds no line feed, so the search covers only the new piece.
        const end = piece.indexOf(lineFeed, from)
        buffer.append(piece.subarray(from, end < 0 ? piece.length : end))
        if (end < 0) break
        if (++lines > agentWebhook.replyLines) return yield tooManyLines
        isLineOver = true
        deadline.stop()
        yield decodeUtf8(buffer.take(buffer.length)) ?? notUtf8
        await yieldTurn()
        from = end + 1
      }
      if (isLineOver) deadline.restart()
    }
  } finally {
    deadline.stop()
  }
  if (buffer.length === 0) return
  yield lines < agentWebhook.replyLines ? (decodeUtf8(buffer.peek()) ?? notUtf8) : tooManyLines
}

/** Returns a promise of the next turn of the event loop when parsing has used up its time slice. */
function createTurnYield(clock: ReplySettings['clock']): () => Promise<void> | undefined {
  let began = clock.monotonic()
  return () => {
    if (clock.monotonic() - began < longWork.sliceMs) return undefined
    return new Promise((resolve) =>
      clock.nextTick(() => {
        began = clock.monotonic()
        resolve()
      }),
    )
  }
}

class ReplyTimeout extends Error {
  readonly code = 'UND_ERR_BODY_TIMEOUT'
}

/** Destroys the body at the deadline; its reader gets a `ReplyTimeout`. */
function startDeadline(body: Readable, ms: number): { stop(): void; restart(): void } {
  const start = () => setTimeout(() => body.destroy(new ReplyTimeout('the reply took too long')), Math.max(0, ms))
  let timer = start()
  return {
    stop: () => clearTimeout(timer),
    restart() {
      clearTimeout(timer)
      timer = start()
    },
  }
}

const emptyPart: ReplyPart = { problem: '' }

function parseLine(line: string): ReplyPart {
  if (line.trim() === '') return emptyPart
  const json = parseJson(line)
  if (json === undefined) return { problem: 'A line of the reply is not JSON.' }
  if (!isRecord(json) || json.message === undefined) return { problem: 'A line of the reply has no `message`.' }
  return validatePart(json.message, 'message')
}

function* parseJsonReply(text: string): Generator<ReplyPart> {
  const json = parseJson(text)
  if (json === undefined) return yield { problem: 'The reply is not JSON.' }
  const messages = isRecord(json) ? json.messages : undefined
  if (messages === undefined && isRecord(json) && Object.keys(json).length === 0) return
  if (!Array.isArray(messages)) return yield { problem: 'The reply has no list of `messages`.' }
  if (messages.length > amf.messagesPerCall) {
    return yield { problem: `messages: at most ${amf.messagesPerCall} are taken, and these are ${messages.length}.` }
  }
  for (const [at, message] of messages.entries()) yield validatePart(message, `messages[${at}]`)
}

function parseAmlReply(text: string, { now, zone }: ReplySettings): ReplyPart {
  const { message, problems, warnings } = compile(text, { now, zone, lenient: true })
  const logNotes = [...notesOf('aml.problem', problems), ...notesOf('aml.warning', warnings)]
  const notes = logNotes.length > 0 ? { notes: logNotes.slice(0, agentWebhook.notesPerReply) } : {}
  if (message) return { message, ...notes }
  const [first] = problems
  return {
    ...notes,
    problem: first ? `line ${first.line}, column ${first.column}: ${first.message}` : 'The reply says nothing.',
  }
}

function notesOf(event: 'aml.problem' | 'aml.warning', problems: readonly AmlProblem[]): LogNote[] {
  return problems.map(({ line, column, code, message: why }) => ({ event, data: { line, column, code, why } }))
}

function validatePart(value: unknown, where: string): ReplyPart {
  const outcome = validateMessage(value)
  if ('message' in outcome) return outcome
  const [first] = outcome.problems
  return { problem: `${[where, first?.path].filter(Boolean).join('.')}: ${first?.message ?? 'is not a message'}` }
}

/** A shorter text cannot be expensive to parse. */
const harmlessChars = 16 * 1024

/** Undefined for invalid JSON, and for JSON with more nesting or more values than a message may have. */
function parseJson(text: string): unknown {
  if (text.length > harmlessChars && !isWithinJsonBounds(Buffer.from(text), ingressBounds.json)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
