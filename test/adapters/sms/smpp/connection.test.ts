/**
 * Units of a message center that come in pieces of one byte: each is read, and no byte is copied more than a few times.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, Socket } from 'node:net'
import t, { type Test } from 'tap'
import { encodePdu } from '../../../../adapters/sms/smpp/codec.js'
import { openConnection } from '../../../../adapters/sms/smpp/connection.js'

const limits = { connectMs: 20_000, unitBytes: 16 * 1024, maxPduBytes: 1024 * 1024, lateMs: 1_000, lingerMs: 100 }

/** A connection, and what its socket gives the bytes to that arrive. */
async function openReader(t: Test) {
  const server = createServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const on = Socket.prototype.on
  t.teardown(() => {
    Socket.prototype.on = on
    server.close()
  })
  let feed: (chunk: Buffer) => void = () => t.fail('no bytes are taken')
  Socket.prototype.on = function (this: Socket, event: string, listener: never) {
    if (event === 'data') feed = listener
    return on.call(this, event as never, listener)
  } as typeof on
  const sequenceNumbers: number[] = []
  const { port } = server.address() as AddressInfo
  const where = { address: '127.0.0.1', host: '127.0.0.1', port, tls: false }
  await new Promise<void>((opened) => {
    const connection = openConnection(where, limits, {
      onOpen: opened,
      onRequest: ({ sequence_number }) => sequenceNumbers.push(sequence_number),
      onClose: () => {},
    })
    t.teardown(() => connection.end())
  })
  Socket.prototype.on = on
  return { sequenceNumbers, feed: (chunk: Buffer) => feed(chunk) }
}

/** How many bytes are copied meanwhile, by whatever way. */
function copiedBy(t: Test, work: () => void): number {
  let copied = 0
  const { set, slice } = Uint8Array.prototype
  const { concat } = Buffer
  const restore = () => {
    Object.assign(Uint8Array.prototype, { set, slice })
    Buffer.concat = concat
  }
  t.teardown(restore)
  Uint8Array.prototype.set = function (this: Uint8Array, from: ArrayLike<number>, at?: number) {
    copied += from.length
    return set.call(this, from, at)
  }
  Uint8Array.prototype.slice = function (this: Uint8Array, from?: number, to?: number) {
    const made = slice.call(this, from, to)
    copied += made.length
    return made
  } as typeof slice
  Buffer.concat = ((list: readonly Uint8Array[], bytes?: number) => {
    const made = concat(list, bytes)
    copied += made.length
    return made
  }) as typeof concat
  work()
  restore()
  return copied
}

t.test('PDUs in pieces of one byte are read, and copying is proportional to the input', async (t) => {
  const { sequenceNumbers, feed } = await openReader(t)
  const payload = Buffer.alloc(8_000, 0x61)
  const message = { source_addr: '15550101', destination_addr: '15550100', message_payload: payload }
  const units = [1, 2, 3, 4].map((index) => encodePdu('deliver_sm', index, message as never))
  const bytes = Buffer.concat(units)
  const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
  const copied = copiedBy(t, () => pieces.forEach(feed))
  t.same(sequenceNumbers, [1, 2, 3, 4])
  t.ok(bytes.length > 32_000)
  t.ok(copied < bytes.length * 8, `${copied} bytes were copied of ${bytes.length}`)
})
