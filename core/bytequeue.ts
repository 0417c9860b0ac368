/**
 * A queue of bytes: arrives in pieces of any size, is taken from the front, and copies each byte a bounded number of
 * times.
 */
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

  /** The bytes of the queue, in its own memory: valid until the next change. */
  peek(): Uint8Array {
    return this.bytes.subarray(this.start, this.end)
  }

  /** Removes that many bytes from the front and returns a copy of them. */
  take(count: number): Uint8Array {
    const chunk = this.bytes.slice(this.start, this.start + count)
    this.start += count
    if (this.start === this.end) this.start = this.end = 0
    return chunk
  }

  /** At least doubles the buffer, so that the total copied stays proportional to the input. */
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
