/** Collects a request body off the socket. */
import type { Socket } from './server.js'

/**
 * Hands over undefined once the body passes the limit; what still comes then is let fall. The socket takes the memory of
 * a piece back after its callback, so pieces that must wait for others are copied and a body in one piece is only lent.
 */
export function collectBody(socket: Socket, limitBytes: number, done: (bytes: Buffer | undefined) => void): void {
  let pieces: Buffer[] | undefined
  let held = 0
  let over = false
  socket.onData((piece, isLast) => {
    if (over) return
    held += piece.byteLength
    if (held > limitBytes) {
      over = true
      pieces = undefined
      return done(undefined)
    }
    const lent = Buffer.from(piece)
    if (isLast) return done(pieces ? Buffer.concat([...pieces, lent], held) : lent)
    pieces ??= []
    pieces.push(Buffer.from(lent))
  })
}
