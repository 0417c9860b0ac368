/** One visitor with an open page: a socket from its own address, and a callback for its frames. */
import { connect, type Socket } from 'node:net'
import { addressOf } from './fixtures.js'
import { createFrameReader, pongBytes, textBytes, upgradeRequest } from './websocketframes.js'

export interface ServerFrame {
  readonly type: string
  readonly id?: string
  readonly code?: string
  readonly blocks?: readonly { readonly text?: string }[]
}

export interface Visitor {
  send(frame: object): void
  close(): void
}

export interface VisitorOptions {
  readonly number: number
  readonly port: number
  readonly path: string
  onFrame(frame: ServerFrame, visitor: number): void
  /** The socket ended before the visitor closed it. */
  onLost(why: string): void
}

const readBytes = 64 * 1024
/** A read is processed completely before the next one begins, so all sockets share one buffer. */
const shared = Buffer.allocUnsafeSlow(readBytes)

/** Resolves when the page has received its whole backlog. */
export function openVisitor({ number, port, path, onFrame, onLost }: VisitorOptions): Promise<Visitor> {
  return new Promise((resolve, reject) => {
    let isLeaving = false
    let why = 'connection closed'
    const read = createFrameReader({
      opened: () => undefined,
      text(text) {
        const frame = JSON.parse(text) as ServerFrame
        if (frame.type === 'caughtUp') resolve(visitor)
        else onFrame(frame, number)
      },
      ping: (payload) => void socket.write(pongBytes(payload)),
      closed(code) {
        why = `closed with ${code}`
        socket.destroy()
      },
    })
    const handleRead = (length: number) => {
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
      onread: { buffer: shared, callback: handleRead },
    })
    const visitor: Visitor = {
      send: (frame) => void socket.write(textBytes(JSON.stringify(frame))),
      close() {
        isLeaving = true
        socket.destroy()
      },
    }
    socket.on('connect', () => socket.write(upgradeRequest(`127.0.0.1:${port}`, path)))
    socket.on('error', (failure: NodeJS.ErrnoException) => {
      why = failure.code ?? failure.message
    })
    socket.on('close', () => {
      reject(new Error(`a visitor did not get in: ${why}`))
      if (!isLeaving) onLost(why)
    })
  })
}
