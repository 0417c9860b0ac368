/** The text of an API key: how one is made, recognised and hashed. */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { apiKeyPrefix, shownSecretChars } from '../../core/ids.js'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretBytes = 24

/** 192 random bits and six characters that a secret scanner can check. */
export function makeKey(randomBytes: (count: number) => Uint8Array): string {
  const secret = Buffer.from(randomBytes(secretBytes)).toString('hex')
  const body = inBase62(BigInt(`0x${secret}`), 33)
  return `${apiKeyPrefix}${body}${inBase62(BigInt(crc32(body)), 6)}`
}

export function hashKey(key: string): string {
  return hash('sha256', key, 'base64url')
}

export function shownPrefix(key: string): string {
  return key.slice(0, shownSecretChars)
}

function inBase62(value: bigint, chars: number): string {
  let text = ''
  for (let rest = value; text.length < chars; rest /= 62n) text = alphabet[Number(rest % 62n)]! + text
  return text
}
