/** The text of an API key: generation, recognition and hashing. */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { apiKeyPrefix, shownSecretChars, toBase62 } from '../../core/ids.js'

const secretBytes = 24

/** 192 random bits and a checksum of six characters that a secret scanner can verify. */
export function generateKey(randomBytes: (count: number) => Uint8Array): string {
  const body = toBase62(randomBytes(secretBytes))
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return `${apiKeyPrefix}${body}${toBase62(check)}`
}

export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

export function keyPrefix(key: string): string {
  return key.slice(0, shownSecretChars)
}
