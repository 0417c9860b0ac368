/** One connection to a message center: frames PDUs, matches answers to requests, and reports its close once. */
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { ByteQueue } from '../../../core/bytequeue.js'
import { decodePdu, encodePdu, type Fields, type Pdu } from './codec.js'
import { statuses } from './refusals.js'

export interface Endpoint {
  readonly address: string
  /** The name or address that the certificate must match. */
  readonly host: string
  readonly port: number
  readonly tls: boolean
  /** A certificate authority in place of the default ones. */
  readonly ca?: string
}

export interface ConnectionLimits {
  readonly connectMs: number
  readonly unitBytes: number
  readonly maxPduBytes: number
  /** Further wait for an answer that missed its deadline. */
  readonly lateMs: number
  /** Time for the other side to close an ended connection. */
  readonly lingerMs: number
}

/** `late`: no answer before the deadline; a later answer calls back again. `lost`: no answer will come. */
export type AnswerCallback = (answer: Pdu | 'late' | 'lost') => void

export interface Connection {
  request(command: string, fields: Fields, withinMs: number, onAnswer: AnswerCallback): void
  /** False when the connection is no longer writable. */
  answer(received: Pdu, status: number, fields?: Fields): boolean
  /** Rejects an unsupported command. */
  refuse(received: Pdu): void
  /** Time of the last PDU received, by `performance.now()`. */
  lastReceivedAt(): number
  /** Closes after all written data is sent. */
  end(): void
}

export interface Events {
  onOpen(): void
  /** Called with each request of the other side. */
  onRequest(pdu: Pdu): void
  /** Called once, for any cause; callbacks of pending requests follow. */
  onClose(closeReason: string): void
}

interface PendingRequest {
  readonly onAnswer: AnswerCallback
  timer?: NodeJS.Timeout
}

const headerBytes = 16
const isAnswer = (command: number) => command >= 0x80000000
const lastSequence = 0x7fffffff

/** Every PDU begins with its length. */
function lengthOf(octets: Uint8Array): number {
  return new DataView(octets.buffer, octets.byteOffset).getUint32(0)
}

/** TLS server name for host names; IP addresses have none and must be in the certificate. */
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
  /** The incomplete PDU at the end of the received data. */
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
  // The error text of the system names addresses and does not help an operator.
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
    // Most chunks hold whole PDUs, which are decoded in place.
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
      // An undecodable answer still has a status in its header.
      entry.onAnswer(
        pdu ?? { command: 'unknown', command_status: octets.readUInt32BE(8), sequence_number: sequenceNumber },
      )
    } else if (pdu && pdu.command !== 'unknown') events.onRequest(pdu)
    else nack(sequenceNumber, pdu ? statuses.badCommand : statuses.badLength)
  }

  function nack(sequenceNumber: number, status: number): void {
    write(encodePdu('generic_nack', sequenceNumber, { command_status: status }))
  }

  /** PDUs written in the same turn of the event loop are sent together. */
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
