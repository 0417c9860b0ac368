/** What an agent answers to an event, as messages: in one piece, or line by line while it is still speaking. */

import type { Readable } from 'node:stream'
import type { OutboundMessage } from '../../core/amf/index.js'
import { validateMessage } from '../../core/amf/validate.js'
import { type AmlProblem, compile } from '../../core/aml/index.js'
import { ByteQueue } from '../../core/bytequeue.js'
import type { LogNote } from '../../core/catalogs/logevents.js'
import { isWithinJsonBounds } from '../../core/jsonbounds.js'
import { agentWebhook, amf, ingressBounds, longWork } from '../../core/limits.js'
import type { TurnClock } from '../turns.js'

/** A message, or what is wrong with a part of the reply; the rest of it still counts. */
export type Piece = ({ readonly message: OutboundMessage } | { readonly problem: string }) & {
  /** Lines of the agent's log about how it was read. */
  readonly notes?: readonly LogNote[]
}

const types = { json: 'application/json', lines: 'application/x-ndjson', aml: 'text/svc-aml' } as const

export interface ReplySettings {
  readonly now: number
  readonly zone: string
  /** How long a reply in one piece may take from here on. */
  readonly wholeMs: number
  /** The longest wait for the next line of one that comes line by line. */
  readonly lineMs: number
  readonly clock: TurnClock
}

/** Whether messages come while the agent is still speaking. */
export function isLineByLine(contentType: string): boolean {
  return typeOf(contentType) === types.lines
}

function typeOf(contentType: string): string {
  return contentType.split(';')[0]!.trim().toLowerCase()
}

/** Each piece is given as soon as it is there. Throws when the connection does, and when the reply takes too long. */
export async function* repliesIn(contentType: string, body: Readable, settings: ReplySettings): AsyncGenerator<Piece> {
  const type = typeOf(contentType)
  if (isLineByLine(contentType)) {
    for await (const line of linesOf(body, settings)) yield typeof line === 'string' ? pieceOfLine(line) : line
    return
  }
  const deadline = startDeadline(body, settings.wholeMs)
  const text = await wholeOf(body, settings).finally(deadline.stop)
  if (typeof text !== 'string') yield text
  else if (text.trim() === '') return
  else if (type === types.json) yield* piecesOfJson(text)
  else if (type === types.aml) yield pieceOfAml(text, settings)
  else
    yield {
      problem: `The reply is ${type === '' ? 'of no type' : type}, and only ${Object.values(types).join(', ')} are read.`,
    }
}

const tooLarge: Piece = { problem: `The reply is larger than ${agentWebhook.replyBytes} bytes.` }
const tooManyLines: Piece = { problem: `The reply has more than ${agentWebhook.replyLines} lines.` }
const notUtf8: Piece = { problem: 'The reply is not UTF-8.' }

async function wholeOf(body: Readable, { clock }: ReplySettings): Promise<string | Piece> {
  const pieces: Buffer[] = []
  const giveTurn = turnGiver(clock)
  let bytes = 0
  for await (const piece of body as AsyncIterable<Buffer>) {
    await giveTurn()
    bytes += piece.length
    if (bytes > agentWebhook.replyBytes) return tooLarge
    pieces.push(piece)
  }
  return decoded(Buffer.concat(pieces)) ?? notUtf8
}

/** It keeps nothing from one text to the next. */
const decoder = new TextDecoder('utf-8', { fatal: true })

function decoded(bytes: Uint8Array): string | undefined {
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
async function* linesOf(body: Readable, { lineMs, clock }: ReplySettings): AsyncGenerator<string | Piece> {
  const held = new ByteQueue()
  const giveTurn = turnGiver(clock)
  const deadline = startDeadline(body, lineMs)
  let bytes = 0
  let lines = 0
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      await giveTurn()
      bytes += piece.length
      if (bytes > agentWebhook.replyBytes) return yield tooLarge
      let isLineOver = false
      let from = 0
      while (from < piece.length) {
        // Blanks before a line are no part of it, so a blank line is passed over at the cost of its bytes.
        for (; held.length === 0 && isBlank(piece[from]); from++) isLineOver ||= piece[from] === lineFeed
        // What is held has no line feed, so only the new piece is looked through.
        const end = piece.indexOf(lineFeed, from)
        held.append(piece.subarray(from, end < 0 ? piece.length : end))
        if (end < 0) break
        if (++lines > agentWebhook.replyLines) return yield tooManyLines
        isLineOver = true
        deadline.stop()
        yield decoded(held.take(held.length)) ?? notUtf8
        await giveTurn()
        from = end + 1
      }
      if (isLineOver) deadline.restart()
    }
  } finally {
    deadline.stop()
  }
  if (held.length === 0) return
  yield lines < agentWebhook.replyLines ? (decoded(held.peek()) ?? notUtf8) : tooManyLines
}

/** A promise of the next turn of the loop where reading has taken a slice of time since the last one. */
function turnGiver(clock: ReplySettings['clock']): () => Promise<void> | undefined {
  let began = clock.elapsed()
  return () => {
    if (clock.elapsed() - began < longWork.sliceMs) return undefined
    return new Promise((resolve) =>
      clock.soon(() => {
        began = clock.elapsed()
        resolve()
      }),
    )
  }
}

class ReplyLate extends Error {
  readonly code = 'UND_ERR_BODY_TIMEOUT'
}

/** Cuts the body when the time is over; whoever reads it is thrown what says so. */
function startDeadline(body: Readable, ms: number): { stop(): void; restart(): void } {
  const start = () => setTimeout(() => body.destroy(new ReplyLate('the reply took too long')), Math.max(0, ms))
  let timer = start()
  return {
    stop: () => clearTimeout(timer),
    restart() {
      clearTimeout(timer)
      timer = start()
    },
  }
}

const blank: Piece = { problem: '' }

function pieceOfLine(line: string): Piece {
  if (line.trim() === '') return blank
  const read = parsed(line)
  if (read === undefined) return { problem: 'A line of the reply is not JSON.' }
  if (!isRecord(read) || read.message === undefined) return { problem: 'A line of the reply has no `message`.' }
  return judged(read.message, 'message')
}

function* piecesOfJson(text: string): Generator<Piece> {
  const read = parsed(text)
  if (read === undefined) return yield { problem: 'The reply is not JSON.' }
  const messages = isRecord(read) ? read.messages : undefined
  if (messages === undefined && isRecord(read) && Object.keys(read).length === 0) return
  if (!Array.isArray(messages)) return yield { problem: 'The reply has no list of `messages`.' }
  if (messages.length > amf.messagesPerCall) {
    return yield { problem: `messages: at most ${amf.messagesPerCall} are taken, and these are ${messages.length}.` }
  }
  for (const [at, message] of messages.entries()) yield judged(message, `messages[${at}]`)
}

function pieceOfAml(text: string, { now, zone }: ReplySettings): Piece {
  const { message, problems, warnings } = compile(text, { now, zone, lenient: true })
  const noted = [...notesOf('aml.problem', problems), ...notesOf('aml.warning', warnings)]
  const notes = noted.length > 0 ? { notes: noted.slice(0, agentWebhook.notedPerReply) } : {}
  if (message) return { message, ...notes }
  const [first] = problems
  return {
    ...notes,
    problem: first ? `line ${first.line}, column ${first.column}: ${first.message}` : 'The reply says nothing.',
  }
}

function notesOf(event: 'aml.problem' | 'aml.warning', found: readonly AmlProblem[]): LogNote[] {
  return found.map(({ line, column, code, message: why }) => ({ event, data: { line, column, code, why } }))
}

function judged(value: unknown, where: string): Piece {
  const outcome = validateMessage(value)
  if ('message' in outcome) return outcome
  const [first] = outcome.problems
  return { problem: `${[where, first?.path].filter(Boolean).join('.')}: ${first?.message ?? 'is not a message'}` }
}

/** A text that is shorter is parsed in no time, whatever it holds. */
const harmlessChars = 16 * 1024

/** Undefined for what is no JSON, and for what is nested deeper or has more values than any message. */
function parsed(text: string): unknown {
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
