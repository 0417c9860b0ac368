/** One connection to a message center: whole units out and in, each answer to whom it belongs, and an end that is told once. */
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { ByteQueue } from '../../../core/bytequeue.js'
import { type Fields, readUnit, type Unit, unitOctets } from './library.js'
import { statuses } from './refusals.js'

export interface Where {
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
  readonly strayBytes: number
  /** An answer that is late is waited for this much longer. */
  readonly lateMs: number
  /** How long the other side has to let go of a connection that is ended. */
  readonly lingerMs: number
}

/** `late` when no answer came in time: it may come yet, and is told then. `lost` when none will come. */
export type Answered = (answer: Unit | 'late' | 'lost') => void

export interface Connection {
  ask(command: string, fields: Fields, withinMs: number, answered: Answered): void
  /** False when it cannot be said any more. */
  answer(asked: Unit, status: number, fields?: Fields): boolean
  /** It asks for something that nobody here does. */
  refuse(asked: Unit): void
  /** When the other side was last heard, in the time of `performance.now()`. */
  heardAt(): number
  /** What was said before goes out first. */
  end(): void
}

export interface Events {
  opened(): void
  /** Whatever the other side begins. */
  asked(unit: Unit): void
  /** Once, for whatever reason; those who wait for an answer are told after that. */
  closed(why: string): void
}

interface Asking {
  readonly answered: Answered
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
function named(host: string): { readonly servername: string } | Record<string, never> {
  return isIP(host) === 0 ? { servername: host } : {}
}

export function openConnection(where: Where, limits: ConnectionLimits, events: Events): Connection {
  const { address, host, port, ca } = where
  const socket: Socket = where.tls
    ? connectTls({ host: address, port, ...named(host), ...(ca && { ca }) })
    : connectPlain({ host: address, port })
  const asking = new Map<number, Asking>()
  let sequence = 0
  let heardAt = performance.now()
  /** The beginning of a unit whose end has not come yet. */
  const rest = new ByteQueue()
  let isCorked = false
  let isOver = false
  let why = 'The message center closed the line.'

  socket.setNoDelay(true)
  let timer = setTimeout(() => end('The message center did not answer in time.'), limits.connectMs)
  socket.once(where.tls ? 'secureConnect' : 'connect', () => {
    clearTimeout(timer)
    events.opened()
  })
  socket.on('data', take)
  // What a system says of a connection names addresses and is of no use to whoever reads it later.
  socket.on('error', () => {
    if (!isOver) why = 'The message center could not be reached, or the line broke.'
  })
  socket.once('close', () => {
    clearTimeout(timer)
    events.closed(why)
    for (const waiting of asking.values()) {
      clearTimeout(waiting.timer)
      waiting.answered('lost')
    }
    asking.clear()
  })

  function end(reason: string): void {
    if (isOver) return
    isOver = true
    why = reason
    clearTimeout(timer)
    if (socket.connecting) socket.destroy()
    else socket.end()
    timer = setTimeout(() => socket.destroy(), limits.lingerMs)
  }

  function take(chunk: Buffer): void {
    heardAt = performance.now()
    // Mostly a chunk holds whole units, which are read where they lie.
    const isWhole = rest.length === 0
    let fresh = chunk
    if (!isWhole) rest.append(chunk)
    while (!isOver) {
      const octets = isWhole ? fresh : rest.peek()
      if (octets.length < headerBytes) break
      const length = lengthOf(octets)
      if (length < headerBytes || length > limits.strayBytes) return end('The message center sent what is not SMPP.')
      if (octets.length < length) break
      heard(isWhole ? fresh.subarray(0, length) : Buffer.from(rest.take(length).buffer))
      fresh = fresh.subarray(length)
    }
    if (isWhole) rest.append(fresh)
  }

  function heard(octets: Buffer): void {
    const unit = octets.length <= limits.unitBytes ? readUnit(octets) : undefined
    const place = octets.readUInt32BE(12)
    if (isAnswer(octets.readUInt32BE(4))) {
      const waiting = asking.get(place)
      if (!waiting) return
      asking.delete(place)
      clearTimeout(waiting.timer)
      // An answer that cannot be read is still one: its status stands in the part that every unit has.
      waiting.answered(unit ?? { command: 'unknown', command_status: octets.readUInt32BE(8), sequence_number: place })
    } else if (unit && unit.command !== 'unknown') events.asked(unit)
    else nack(place, unit ? statuses.badCommand : statuses.badLength)
  }

  function nack(place: number, status: number): void {
    write(unitOctets('generic_nack', place, { command_status: status }))
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
    ask(command, fields, withinMs, answered) {
      sequence = sequence === lastSequence ? 1 : sequence + 1
      const place = sequence
      if (!write(unitOctets(command, place, fields))) return process.nextTick(answered, 'lost')
      const waiting: Asking = { answered }
      waiting.timer = setTimeout(() => {
        waiting.timer = setTimeout(() => asking.delete(place), limits.lateMs)
        answered('late')
      }, withinMs)
      asking.set(place, waiting)
    },
    answer: (asked, status, fields = {}) =>
      write(unitOctets(`${asked.command}_resp`, asked.sequence_number, { ...fields, command_status: status })),
    refuse: (asked) => nack(asked.sequence_number, statuses.badCommand),
    heardAt: () => heardAt,
    end: () => end('The line was closed.'),
  }
}
