/**
 * HMAC (RFC 2104) out of two whole digests. The platform's own makes a stream for every signature, which takes more than
 * twice as long, and every call of a provider is signed.
 */
import { Buffer } from 'node:buffer'
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
  const pads = padsOf(algorithm, key)
  let most = block
  for (const part of parts) most += typeof part === 'string' ? part.length * unitBytes : part.length
  const inner = Buffer.allocUnsafe(most)
  inner.set(pads.inner)
  let end = block
  for (const part of parts) {
    if (typeof part === 'string') end += inner.write(part, end)
    else {
      inner.set(part, end)
      end += part.length
    }
  }
  const outer = Buffer.allocUnsafe(block + digestBytes[algorithm])
  outer.set(pads.outer)
  outer.write(hash(algorithm, inner.subarray(0, end), 'binary'), block, 'latin1')
  return hash(algorithm, outer, as)
}

interface Pads {
  readonly algorithm: HmacAlgorithm
  readonly key: string
  readonly inner: Uint8Array
  readonly outer: Uint8Array
}
/** Those of the last key: mostly the next call is of the same provider. */
let last: Pads | undefined

function padsOf(algorithm: HmacAlgorithm, key: string | Uint8Array): Pick<Pads, 'inner' | 'outer'> {
  if (last && last.key === key && last.algorithm === algorithm) return last
  const secret = keyWithin(algorithm, key)
  const pads = { inner: padded(algorithm, secret, innerPad), outer: padded(algorithm, secret, outerPad) }
  if (typeof key === 'string') last = { algorithm, key, ...pads }
  return pads
}

/** A key that is longer than a block is its digest. */
function keyWithin(algorithm: HmacAlgorithm, key: string | Uint8Array): Uint8Array {
  const bytes = typeof key === 'string' ? Buffer.from(key) : key
  return bytes.length > blockBytes[algorithm] ? hash(algorithm, bytes, 'buffer') : bytes
}

function padded(algorithm: HmacAlgorithm, secret: Uint8Array, pad: number): Uint8Array {
  return new Uint8Array(blockBytes[algorithm]).map((_, at) => (secret[at] ?? 0) ^ pad)
}
