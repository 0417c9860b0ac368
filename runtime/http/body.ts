/** Puts the pieces of a request body together, each copied: the socket takes its memory back after the callback. */
import { Buffer } from 'node:buffer'

export class BodyPieces {
  private readonly kept: Buffer[] = []
  private heldBytes = 0

  constructor(private readonly limitBytes: number) {}

  /** The whole body with its last piece, `over` once it passes the limit, and nothing while more is to come. */
  add(piece: ArrayBuffer, isLast: boolean): Buffer | 'over' | undefined {
    this.heldBytes += piece.byteLength
    if (this.heldBytes > this.limitBytes) {
      this.kept.length = 0
      return 'over'
    }
    const copy = Buffer.allocUnsafe(piece.byteLength)
    copy.set(new Uint8Array(piece))
    if (isLast && this.kept.length === 0) return copy
    this.kept.push(copy)
    return isLast ? Buffer.concat(this.kept, this.heldBytes) : undefined
  }
}
