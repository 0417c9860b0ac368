/** Puts the pieces of a request body together as they come off the socket. */

/**
 * The socket takes the memory of a piece back after its callback, so a piece that must wait for others is copied, and a
 * body that came in one piece is only lent.
 */
export class BodyPieces {
  private kept: Buffer[] | undefined
  private heldBytes = 0

  constructor(private readonly limitBytes: number) {}

  /** The whole body with its last piece, `over` once it passes the limit, and nothing while more is to come. */
  add(piece: ArrayBuffer, isLast: boolean): Buffer | 'over' | undefined {
    this.heldBytes += piece.byteLength
    if (this.heldBytes > this.limitBytes) {
      this.kept = undefined
      return 'over'
    }
    const lent = Buffer.from(piece)
    if (isLast) return this.kept ? Buffer.concat([...this.kept, lent], this.heldBytes) : lent
    this.kept ??= []
    this.kept.push(Buffer.from(lent))
    return undefined
  }
}
