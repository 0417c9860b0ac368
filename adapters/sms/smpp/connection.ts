/** One connection to a message center: whole units out and in, each answer to whom it belongs, and an end that is told once. */
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { ByteQueue } from '../../../core/bytequeue.js'
import { decodePdu, encodePdu, type Fields, type Pdu } from './codec.js'
import { statuses } from './refusals.js'

export interface Endpoint {
  readonly address: string
  /** What the other side's certificate must be for. */
  readonly host: string
  readonly port: number
  readonly tls: boolean
  /** Whom else to believe than the authorities that everybody does. */
  readonly ca?: string
}

export interface ConnectionLimits {
  readonly connectMs: number
  readonly unitBytes: number
  readonly maxPduBytes: number
  /** An answer that is late is waited for this much longer. */
  readonly lateMs: number
  /** How long the other side has to let go of a connection that is ended. */
  readonly lingerMs: number
}

/** `late` when no answer came in time: it may come yet, and is told then. `lost` when none will come. */
export type AnswerCallback = (answer: Pdu | 'late' | 'lost') => void

export interface Connection {
  request(command: string, fields: Fields, withinMs: number, onAnswer: AnswerCallback): void
  /** False when it cannot be said any more. */
  answer(received: Pdu, status: number, fields?: Fields): boolean
  /** It asks for something that nobody here does. */
  refuse(received: Pdu): void
  /** When the other side was last heard, in the time of `performance.now()`. */
  lastReceivedAt(): number
  /** What was said before goes out first. */
  end(): void
}

export interface Events {
  onOpen(): void
  /** Whatever the other side begins. */
  onRequest(pdu: Pdu): void
  /** Once, for whatever reason; those who wait for an answer are told after that. */
  onClose(closeReason: string): void
}

interface PendingRequest {
  readonly onAnswer: AnswerCallback
  timer?: NodeJS.Timeout
}

const headerBytes = 16
const isAnswer = (command: number) => command >= 0x80000000
const lastSequence = 0x7fffffff

/** Every unit begins with its length. */
function lengthOf(octets: Uint8Array): number {
  return new DataView(octets.buffer, octets.byteOffset).getUint32(0)
}

/** A name is asked for by name; of an address the certificate has to speak itself. */
function tlsServerName(host: string): { readonly servername: string } | Record<string, never> {
  return isIP(host) === 0 ? { servername: host } : {}
}

export function openConnection(endpoint: Endpoint, limits: ConnectionLimits, events: Events): Connection {
  const { address, host, port, ca } = endpoint
  const socket: Socket = endpoint.tls
    ? connectTls({ host: address, port, ...tlsServerName(host), ...(ca && { ca }) })
    : connectPlain({ host: address, port })
  const pending = new Map<number, PendingRequest>()
  let sequence = 0
  let lastReceivedAt = performance.now()
  /** The beginning of a unit whose end has not come yet. */
  const buffer = new ByteQueue()
  let isCorked = false
  let isEnded = false
  let closeReason = 'The message center closed the line.'

  socket.setNoDelay(true)
  let timer = setTimeout(() => end('The message center did not answer in time.'), limits.connectMs)
  socket.once(endpoint.tls ? 'secureConnect' : 'connect', () => {
    clearTimeout(timer)
    events.onOpen()
  })
  socket.on('data', receiveChunk)
  // What a system says of a connection names addresses and is of no use to whoever reads it later.
  socket.on('error', () => {
    if (!isEnded) closeReason = 'The message center could not be reached, or the line broke.'
  })
  socket.once('close', () => {
    clearTimeout(timer)
    events.onClose(closeReason)
    for (const entry of pending.values()) {
      clearTimeout(entry.timer)
      entry.onAnswer('lost')
    }
    pending.clear()
  })

  function end(reason: string): void {
    if (isEnded) return
    isEnded = true
    closeReason = reason
    clearTimeout(timer)
    if (socket.connecting) socket.destroy()
    else socket.end()
    timer = setTimeout(() => socket.destroy(), limits.lingerMs)
  }

  function receiveChunk(chunk: Buffer): void {
    lastReceivedAt = performance.now()
    // Mostly a chunk holds whole units, which are read where they lie.
    const isWhole = buffer.length === 0
    let remaining = chunk
    if (!isWhole) buffer.append(chunk)
    while (!isEnded) {
      const octets = isWhole ? remaining : buffer.peek()
      if (octets.length < headerBytes) break
      const length = lengthOf(octets)
      if (length < headerBytes || length > limits.maxPduBytes) return end('The message center sent what is not SMPP.')
      if (octets.length < length) break
      handlePdu(isWhole ? remaining.subarray(0, length) : Buffer.from(buffer.take(length).buffer))
      remaining = remaining.subarray(length)
    }
    if (isWhole) buffer.append(remaining)
  }

  function handlePdu(octets: Buffer): void {
    const pdu = octets.length <= limits.unitBytes ? decodePdu(octets) : undefined
    const sequenceNumber = octets.readUInt32BE(12)
    if (isAnswer(octets.readUInt32BE(4))) {
      const entry = pending.get(sequenceNumber)
      if (!entry) return
      pending.delete(sequenceNumber)
      clearTimeout(entry.timer)
      // An answer that cannot be read is still one: its status stands in the part that every unit has.
      entry.onAnswer(
        pdu ?? { command: 'unknown', command_status: octets.readUInt32BE(8), sequence_number: sequenceNumber },
      )
    } else if (pdu && pdu.command !== 'unknown') events.onRequest(pdu)
    else nack(sequenceNumber, pdu ? statuses.badCommand : statuses.badLength)
  }

  function nack(sequenceNumber: number, status: number): void {
    write(encodePdu('generic_nack', sequenceNumber, { command_status: status }))
  }

  /** Units of one turn of the loop leave together. */
  function write(octets: Buffer): boolean {
    if (!socket.writable) return false
    if (!isCorked) {
      isCorked = true
      socket.cork()
      process.nextTick(() => {
        isCorked = false
        socket.uncork()
      })
    }
    socket.write(octets)
    return true
  }

  return {
    request(command, fields, withinMs, onAnswer) {
      sequence = sequence === lastSequence ? 1 : sequence + 1
      const sequenceNumber = sequence
      if (!write(encodePdu(command, sequenceNumber, fields))) return process.nextTick(onAnswer, 'lost')
      const entry: PendingRequest = { onAnswer }
      entry.timer = setTimeout(() => {
        entry.timer = setTimeout(() => pending.delete(sequenceNumber), limits.lateMs)
        onAnswer('late')
      }, withinMs)
      pending.set(sequenceNumber, entry)
    },
    answer: (received, status, fields = {}) =>
      write(encodePdu(`${received.command}_resp`, received.sequence_number, { ...fields, command_status: status })),
    refuse: (received) => nack(received.sequence_number, statuses.badCommand),
    lastReceivedAt: () => lastReceivedAt,
    end: () => end('The line was closed.'),
  }
}
