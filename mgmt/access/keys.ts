/** The text of an API key: how one is made, recognised and hashed. */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { apiKeyPrefix, inBase62, shownSecretChars } from '../../core/ids.js'

const secretBytes = 24

/** 192 random bits and six characters that a secret scanner can check. */
export function makeKey(randomBytes: (count: number) => Uint8Array): string {
  const body = inBase62(randomBytes(secretBytes))
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return `${apiKeyPrefix}${body}${inBase62(check)}`
}

export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

export function shownPrefix(key: string): string {
  return key.slice(0, shownSecretChars)
}
