/** The body of a request, assembled from copies of its pieces: the socket reuses its memory after the callback. */
import { Buffer } from 'node:buffer'

export class BodyPieces {
  private readonly pieces: Buffer[] = []
  private receivedBytes = 0

  constructor(private readonly limitBytes: number) {}

  /** The whole body after its last piece, `over` once it passes the limit, and undefined before that. */
  add(piece: ArrayBuffer, isLast: boolean): Buffer | 'over' | undefined {
    this.receivedBytes += piece.byteLength
    if (this.receivedBytes > this.limitBytes) {
      this.pieces.length = 0
      return 'over'
    }
    const copy = Buffer.allocUnsafe(piece.byteLength)
    copy.set(new Uint8Array(piece))
    if (isLast && this.pieces.length === 0) return copy
    this.pieces.push(copy)
    return isLast ? Buffer.concat(this.pieces, this.receivedBytes) : undefined
  }
}
