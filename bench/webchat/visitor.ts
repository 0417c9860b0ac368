/** One visitor with an open page: a socket from an address of its own, whose frames are handed on. */
import { connect, type Socket } from 'node:net'
import { addressOf } from './setting.js'
import { opening, openReader, pongBytes, textBytes } from './wire.js'

export interface Told {
  readonly type: string
  readonly id?: string
  readonly code?: string
  readonly blocks?: readonly { readonly text?: string }[]
}

export interface Visitor {
  say(frame: object): void
  leave(): void
}

export interface VisitorEnds {
  readonly number: number
  readonly port: number
  readonly path: string
  told(frame: Told, visitor: number): void
  /** It ended before it was asked to. */
  lost(why: string): void
}

const readBytes = 64 * 1024
/** Reads are handled to their end before the next one begins, so all sockets share one buffer. */
const shared = Buffer.allocUnsafeSlow(readBytes)

/** Resolves when the page has been told all that there was. */
export function comeIn({ number, port, path, told, lost }: VisitorEnds): Promise<Visitor> {
  return new Promise((resolve, reject) => {
    let isLeaving = false
    let why = 'connection closed'
    const read = openReader({
      opened: () => undefined,
      text(text) {
        const frame = JSON.parse(text) as Told
        if (frame.type === 'caughtUp') resolve(visitor)
        else told(frame, number)
      },
      ping: (payload) => void socket.write(pongBytes(payload)),
      closed(code) {
        why = `closed with ${code}`
        socket.destroy()
      },
    })
    const take = (length: number) => {
      try {
        read(shared.subarray(0, length))
      } catch (failure) {
        socket.destroy(failure as Error)
      }
      return true
    }
    const socket: Socket = connect({
      host: '127.0.0.1',
      port,
      localAddress: addressOf(number),
      noDelay: true,
      onread: { buffer: shared, callback: take },
    })
    const visitor: Visitor = {
      say: (frame) => void socket.write(textBytes(JSON.stringify(frame))),
      leave() {
        isLeaving = true
        socket.destroy()
      },
    }
    socket.on('connect', () => socket.write(opening(`127.0.0.1:${port}`, path)))
    socket.on('error', (failure: NodeJS.ErrnoException) => {
      why = failure.code ?? failure.message
    })
    socket.on('close', () => {
      reject(new Error(`a visitor did not get in: ${why}`))
      if (!isLeaving) lost(why)
    })
  })
}
