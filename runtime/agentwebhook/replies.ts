/** What an agent answers to an event, as messages: in one piece, or line by line while it is still speaking. */

import type { Readable } from 'node:stream'
import type { OutboundMessage } from '../../core/amf/index.js'
import { validateMessage } from '../../core/amf/validation.js'
import { type AmlProblem, compile } from '../../core/aml/index.js'
import { ByteQueue } from '../../core/bytequeue.js'
import type { LogNote } from '../../core/catalogs/logevents.js'
import { isWithinJsonBounds } from '../../core/jsonbounds.js'
import { agentWebhook, amf, ingressBounds, longWork } from '../../core/limits/index.js'
import type { SliceClock } from '../slices.js'

/** A message, or what is wrong with a part of the reply; the rest of it still counts. */
export type ReplyPart = ({ readonly message: OutboundMessage } | { readonly problem: string }) & {
  /** Lines of the agent's log about how it was read. */
  readonly notes?: readonly LogNote[]
}

const types = { json: 'application/json', lines: 'application/x-ndjson', aml: 'text/svc-aml' } as const

export interface ReplySettings {
  readonly now: number
  readonly zone: string
  /** How long a reply in one piece may take from here on. */
  readonly bodyTimeoutMs: number
  /** The longest wait for the next line of one that comes line by line. */
  readonly lineTimeoutMs: number
  readonly clock: SliceClock
}

/** Whether messages come while the agent is still speaking. */
export function isStreamed(contentType: string): boolean {
  return mediaTypeOf(contentType) === types.lines
}

function mediaTypeOf(contentType: string): string {
  return contentType.split(';')[0]!.trim().toLowerCase()
}

/** Each piece is given as soon as it is there. Throws when the connection does, and when the reply takes too long. */
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

/** It keeps nothing from one text to the next. */
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
 * Lines as they are finished; the bounds are on the whole of them. Blank ones only give the next line more time. Whatever
 * pieces they come in, the loop has its turn every few milliseconds.
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
        // Blanks before a line are no part of it, so a blank line is passed over at the cost of its bytes.
        for (; buffer.length === 0 && isBlank(piece[from]); from++) isLineOver ||= piece[from] === lineFeed
        // What is held has no line feed, so only the new piece is looked through.
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

/** A promise of the next turn of the loop where reading has taken a slice of time since the last one. */
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

/** Cuts the body when the time is over; whoever reads it is thrown what says so. */
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

/** A text that is shorter is parsed in no time, whatever it holds. */
const harmlessChars = 16 * 1024

/** Undefined for what is no JSON, and for what is nested deeper or has more values than any message. */
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
