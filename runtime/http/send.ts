/** Sends bodies no faster than the client reads them. */
import type { Socket } from './uws.js'

/** Who reads at the other end. */
export interface Peer {
  readonly gone: boolean
  whenGone(call: () => void): void
}

/** Bodies up to this size are given to the socket whole. */
const wholeBytes = 64 * 1024

/** A source that nobody is sent may hold something all the same, such as an open file. */
export function letGo(source: AsyncIterable<unknown>): void {
  const { destroy, return: end } = source as { destroy?: () => void; return?: () => Promise<unknown> }
  if (destroy) destroy.call(source)
  else end?.call(source).catch(() => undefined)
}

/** Called corked. Undefined when the socket took everything at once. */
export function sendBody(
  socket: Socket,
  body: Uint8Array | string | undefined,
  peer: Peer,
  close?: boolean,
): Promise<void> | undefined {
  // Only an answer that is given whole can end its connection.
  if (body === undefined || close || body.length <= wholeBytes) {
    socket.end(body ?? '', close)
    return undefined
  }
  return sendLarge(socket, typeof body === 'string' ? Buffer.from(body) : body, peer)
}

/** The socket says how far it got; the rest is offered again whenever it has room. */
function sendLarge(socket: Socket, body: Uint8Array, peer: Peer): Promise<void> {
  return new Promise((resolve) => {
    const [, done] = socket.tryEnd(body, body.length)
    if (done) return resolve()
    peer.whenGone(resolve)
    socket.onWritable((offset) => {
      const [ok, finished] = socket.tryEnd(body.subarray(offset), body.length)
      if (finished) resolve()
      return ok
    })
  })
}

/** A source that throws midway ends the connection, so that the client cannot take half for the whole. */
export async function sendStream(
  socket: Socket,
  source: AsyncIterable<Uint8Array | string>,
  peer: Peer,
): Promise<void> {
  for await (const piece of source) {
    if (peer.gone) return
    let hasRoom = true
    socket.cork(() => {
      hasRoom = socket.write(piece)
    })
    if (!hasRoom) await room(socket, peer)
    if (peer.gone) return
  }
  socket.cork(() => {
    socket.end()
  })
}

/** The same for a source whose length is told first. One that gives less, or more, ends the connection. */
export async function sendCounted(
  socket: Socket,
  source: AsyncIterable<Uint8Array | string>,
  bytes: number,
  peer: Peer,
): Promise<void> {
  let sent = 0
  for await (const part of source) {
    if (peer.gone) return
    const piece = typeof part === 'string' ? Buffer.from(part) : part
    if (piece.length === 0) continue
    if (sent + piece.length > bytes) throw new Error('a body is longer than was told')
    await sendPiece(socket, piece, { from: sent, bytes }, peer)
    sent += piece.length
  }
  if (sent < bytes && !peer.gone) throw new Error('a body is shorter than was told')
  if (bytes === 0 && !peer.gone) socket.cork(() => socket.end())
}

function sendPiece(
  socket: Socket,
  piece: Uint8Array,
  { from, bytes }: { readonly from: number; readonly bytes: number },
  peer: Peer,
): Promise<void> {
  return new Promise((resolve) => {
    socket.cork(() => {
      const [ok] = socket.tryEnd(piece, bytes)
      if (ok) return resolve()
      peer.whenGone(resolve)
      socket.onWritable((offset) => {
        const [hasRoom] = socket.tryEnd(piece.subarray(offset - from), bytes)
        if (hasRoom) setImmediate(resolve)
        return hasRoom
      })
    })
  })
}

/**
 * Resolves outside the socket's own callback: a write made while that is still running is forgotten by the socket, which
 * then never says again that it has room.
 */
function room(socket: Socket, peer: Peer): Promise<void> {
  return new Promise((resolve) => {
    peer.whenGone(resolve)
    socket.onWritable(() => {
      setImmediate(resolve)
      return true
    })
  })
}
