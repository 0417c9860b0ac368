/** The part of WebSocket framing (RFC 6455, client side) that the load needs. */
import { randomBytes } from 'node:crypto'

const textFrame = 0x1
const pingFrame = 0x9
const pongFrame = 0xa
const closeFrame = 0x8
const masked = 0x80

/** The upgrade request. It offers no extensions, so nothing is compressed. */
export function upgradeRequest(host: string, path: string): string {
  const key = randomBytes(16).toString('base64')
  return (
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`
  )
}

/** A mask of zeros is valid and leaves the bytes as they are; both sides of a comparison save the same work. */
function frameOf(kind: number, payload: Uint8Array): Buffer {
  const { length } = payload
  const head = length < 126 ? 2 : 4
  const frame = Buffer.alloc(head + 4 + length)
  frame[0] = masked | kind
  frame[1] = masked | (length < 126 ? length : 126)
  if (head === 4) frame.writeUInt16BE(length, 2)
  frame.set(payload, head + 4)
  return frame
}

export const textBytes = (text: string): Buffer => frameOf(textFrame, Buffer.from(text))
export const pongBytes = (payload: Uint8Array): Buffer => frameOf(pongFrame, payload)

export interface FrameHandlers {
  /** The server accepted the upgrade. */
  opened(): void
  text(text: string): void
  ping(payload: Uint8Array): void
  /** The server closes the socket; `code` is 0 where it sent none. */
  closed(code: number): void
}

/** Parses bytes as they arrive, cut anywhere, and reports the frames. */
export function createFrameReader(handlers: FrameHandlers): (bytes: Buffer) => void {
  let buffered: Buffer | undefined
  let isOpen = false

  /** Returns the number of bytes parsed; 0 when more are needed. */
  function readFrame(bytes: Buffer): number {
    if (!isOpen) return readHandshake(bytes)
    if (bytes.length < 2) return 0
    const kind = bytes[0]! & 0x0f
    const short = bytes[1]! & 0x7f
    const start = short < 126 ? 2 : short === 126 ? 4 : 10
    if (bytes.length < start) return 0
    const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
    const end = start + length
    if (bytes.length < end) return 0
    if (kind === textFrame) handlers.text(bytes.toString('utf8', start, end))
    else if (kind === pingFrame) handlers.ping(Buffer.from(bytes.subarray(start, end)))
    else if (kind === closeFrame) handlers.closed(length >= 2 ? bytes.readUInt16BE(start) : 0)
    return end
  }

  function readHandshake(bytes: Buffer): number {
    const end = bytes.indexOf('\r\n\r\n')
    if (end === -1) return 0
    const status = bytes.toString('latin1', 9, 12)
    if (status !== '101') throw new Error(`a socket was answered ${status}`)
    isOpen = true
    handlers.opened()
    return end + 4
  }

  return (bytes) => {
    let remaining = buffered ? Buffer.concat([buffered, bytes]) : bytes
    for (let consumed = readFrame(remaining); consumed > 0; consumed = readFrame(remaining))
      remaining = remaining.subarray(consumed)
    // The bytes are valid for this call alone.
    buffered = remaining.length > 0 ? Buffer.from(remaining) : undefined
  }
}
