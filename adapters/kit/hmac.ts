/**
 * HMAC (RFC 2104) out of two whole digests. The platform's own makes a stream for every signature, which takes more than
 * twice as long, and every call of a provider is signed.
 */
import { type BinaryToTextEncoding, hash } from 'node:crypto'

export type HmacAlgorithm = 'sha1' | 'sha256' | 'sha512'

const blockBytes = { sha1: 64, sha256: 64, sha512: 128 } as const
const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const
const innerPad = 0x36
const outerPad = 0x5c
/** UTF-8 of one unit of a text, at most. */
const unitBytes = 3

/** The signature over all parts, one after the other with nothing between them. */
export function hmac(
  algorithm: HmacAlgorithm,
  key: string | Uint8Array,
  ...parts: readonly (string | Uint8Array)[]
): Buffer {
  return Buffer.from(hmacText(algorithm, key, parts, 'binary'), 'latin1')
}

/** The same as a text, for which no bytes have to be made. */
export function hmacText(
  algorithm: HmacAlgorithm,
  key: string | Uint8Array,
  parts: readonly (string | Uint8Array)[],
  as: BinaryToTextEncoding,
): string {
  const block = blockBytes[algorithm]
  const secret = keyWithin(algorithm, key)
  let most = block
  for (const part of parts) most += typeof part === 'string' ? part.length * unitBytes : part.length
  const inner = padded(secret, innerPad, block, most)
  let end = block
  for (const part of parts) {
    if (typeof part === 'string') end += inner.write(part, end)
    else {
      inner.set(part, end)
      end += part.length
    }
  }
  const outer = padded(secret, outerPad, block, block + digestBytes[algorithm])
  outer.write(hash(algorithm, inner.subarray(0, end), 'binary'), block, 'latin1')
  return hash(algorithm, outer, as)
}

/** A key that is longer than a block is its digest. */
function keyWithin(algorithm: HmacAlgorithm, key: string | Uint8Array): Uint8Array {
  const bytes = typeof key === 'string' ? Buffer.from(key) : key
  return bytes.length > blockBytes[algorithm] ? hash(algorithm, bytes, 'buffer') : bytes
}

/** Room for so many bytes, with the key and its padding in the first block. */
function padded(secret: Uint8Array, pad: number, block: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  for (let at = 0; at < block; at++) bytes[at] = (at < secret.length ? secret[at]! : 0) ^ pad
  return bytes
}
