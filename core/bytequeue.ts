/** Bytes that arrive in pieces of any size and are taken from the front, each copied a bounded number of times. */
export class ByteQueue {
  private bytes = new Uint8Array(0)
  private start = 0
  private end = 0

  get length(): number {
    return this.end - this.start
  }

  append(chunk: Uint8Array): void {
    if (this.end + chunk.length > this.bytes.length) this.grow(chunk.length)
    this.bytes.set(chunk, this.end)
    this.end += chunk.length
  }

  /** Those in the queue, in its own memory: good until the next change. */
  peek(): Uint8Array {
    return this.bytes.subarray(this.start, this.end)
  }

  /** A copy of that many bytes from the front, which leave the queue. */
  take(count: number): Uint8Array {
    const taken = this.bytes.slice(this.start, this.start + count)
    this.start += count
    if (this.start === this.end) this.start = this.end = 0
    return taken
  }

  /** At least doubled, so that what is copied in all stays in proportion to what came. */
  private grow(extra: number): void {
    const needed = this.length + extra
    const hasRoom = needed * 2 <= this.bytes.length
    const next = hasRoom ? this.bytes : new Uint8Array(Math.max(needed * 2, 1_024))
    next.set(this.peek())
    this.end = this.length
    this.start = 0
    this.bytes = next
  }
}
