/** Writes of reply bodies to a socket, no faster than the client reads them. */
import type { Socket } from './uws.js'

/** The client that reads the reply. */
export interface Peer {
  /** The client has disconnected, and its socket must not be used any more. */
  readonly isAborted: boolean
  /** Calls back when the client disconnects, or at once if it has. */
  onAborted(listener: () => void): void
}

/** Larger bodies are written as far as the socket takes them. */
const wholeBytes = 64 * 1024

/** Ends a source that will not be sent, since it may hold a resource such as an open file. */
export function destroySource(source: AsyncIterable<unknown>): void {
  const { destroy, return: end } = source as { destroy?: () => void; return?: () => Promise<unknown> }
  if (destroy) destroy.call(source)
  else end?.call(source).catch(() => undefined)
}

/** Called corked. Undefined when the socket took the whole body at once. */
export function sendBody(
  socket: Socket,
  body: Uint8Array | string | undefined,
  peer: Peer,
  close?: boolean,
): Promise<void> | undefined {
  // uWebSockets.js can end the connection only with a body that is passed to it whole.
  if (body === undefined || close || body.length <= wholeBytes) {
    socket.end(body ?? '', close)
    return undefined
  }
  return sendLarge(socket, typeof body === 'string' ? Buffer.from(body) : body, peer)
}

/** The socket reports how many bytes it took; the rest is offered again when it has room. */
function sendLarge(socket: Socket, body: Uint8Array, peer: Peer): Promise<void> {
  return new Promise((resolve) => {
    const [, isDone] = socket.tryEnd(body, body.length)
    if (isDone) return resolve()
    peer.onAborted(resolve)
    socket.onWritable((offset) => {
      const [ok, isFinished] = socket.tryEnd(body.subarray(offset), body.length)
      if (isFinished) resolve()
      return ok
    })
  })
}

/**
 * Rejects when the source throws; the caller then closes the connection, so the client sees a truncated reply as such.
 */
export async function sendStream(
  socket: Socket,
  source: AsyncIterable<Uint8Array | string>,
  peer: Peer,
): Promise<void> {
  for await (const piece of source) {
    if (peer.isAborted) return
    let isWritable = true
    socket.cork(() => {
      isWritable = socket.write(piece)
    })
    if (!isWritable) await waitUntilWritable(socket, peer)
    if (peer.isAborted) return
  }
  socket.cork(() => {
    socket.end()
  })
}

/** Sends a source whose length the reply declares. Rejects when the source yields fewer or more bytes. */
export async function sendCounted(
  socket: Socket,
  source: AsyncIterable<Uint8Array | string>,
  bytes: number,
  peer: Peer,
): Promise<void> {
  let sent = 0
  for await (const part of source) {
    if (peer.isAborted) return
    const piece = typeof part === 'string' ? Buffer.from(part) : part
    if (piece.length === 0) continue
    if (sent + piece.length > bytes) throw new Error('a body is longer than its reply declares')
    await sendPiece(socket, piece, { from: sent, bytes }, peer)
    sent += piece.length
  }
  if (sent < bytes && !peer.isAborted) throw new Error('a body is shorter than its reply declares')
  if (bytes === 0 && !peer.isAborted) socket.cork(() => socket.end())
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
      peer.onAborted(resolve)
      socket.onWritable((offset) => {
        const [isWritable] = socket.tryEnd(piece.subarray(offset - from), bytes)
        if (isWritable) setImmediate(resolve)
        return isWritable
      })
    })
  })
}

/**
 * Resolves outside the socket's `onWritable` callback: uWebSockets.js loses track of a write that is made while the
 * callback runs, and does not call it again.
 */
function waitUntilWritable(socket: Socket, peer: Peer): Promise<void> {
  return new Promise((resolve) => {
    peer.onAborted(resolve)
    socket.onWritable(() => {
      setImmediate(resolve)
      return true
    })
  })
}
