/** Collects a request body off the socket, copying each piece: the socket takes its memory back after the callback. */
import type { Peer, Socket } from './server.js'

/** Resolves to undefined once the body passes the limit or the client has gone; what still comes is let fall. */
export function collectBody(socket: Socket, limitBytes: number, peer: Peer): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    let pieces: Buffer[] = []
    let held = 0
    peer.whenGone(() => resolve(undefined))
    socket.onData((piece, isLast) => {
      held += piece.byteLength
      if (held > limitBytes) {
        pieces = []
        return resolve(undefined)
      }
      const copy = Buffer.from(new Uint8Array(piece))
      if (isLast) return resolve(pieces.length === 0 ? copy : Buffer.concat([...pieces, copy], held))
      pieces.push(copy)
    })
  })
}
