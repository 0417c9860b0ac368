/** Cuts a stream of parts into chunks of one size, and formats the digest of a content. */
import type { Hash } from 'node:crypto'

/** Every chunk but the last has exactly that size; no parts give no chunks. */
export async function* chunksOf(parts: AsyncIterable<Uint8Array>, chunkBytes: number): AsyncGenerator<Uint8Array> {
  let buffered: Uint8Array[] = []
  let bytes = 0
  for await (let part of parts) {
    while (bytes + part.length >= chunkBytes) {
      const count = chunkBytes - bytes
      yield Buffer.concat([...buffered, part.subarray(0, count)])
      part = part.subarray(count)
      buffered = []
      bytes = 0
    }
    if (part.length > 0) buffered.push(part)
    bytes += part.length
  }
  if (bytes > 0) yield Buffer.concat(buffered)
}

/** As the object store of NATS writes it. */
export function digestText(hash: Hash): string {
  return `SHA-256=${hash.digest('base64').replaceAll('+', '-').replaceAll('/', '_')}`
}
