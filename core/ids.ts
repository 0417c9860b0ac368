/** The grammars of ids and tokens, and the alphabet that new ones are written in. */

export const slugPattern = '^[a-z0-9][a-z0-9-]{0,62}$'
/** What a path parameter may hold when its route says nothing narrower. */
export const pathIdPattern = '^(@svc/)?[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$'
export const svcAgentPattern = /^[a-z0-9._-]{1,32}$/
export const requestIdPattern = /^[A-Za-z0-9._-]{1,64}$/

export const apiKeyPrefix = 'sk-svc-'
export const accessTokenPrefix = 'at-svc-'
export const signingSecretPrefix = 'ws-svc-'
/** Characters of a secret that reads may show. */
export const shownSecretChars = apiKeyPrefix.length + 6

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const idChars = 26

/** Writes at least 17 bytes as an id: 26 characters that no reader confuses and no subject or path has to escape. */
export function idFromBytes(prefix: string, bytes: Uint8Array): string {
  let text = ''
  let held = 0
  let heldBits = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    heldBits += 8
    while (heldBits >= 5 && text.length < idChars) {
      heldBits -= 5
      text += alphabet[(held >> heldBits) & 31]
    }
    held &= (1 << heldBits) - 1
  }
  if (text.length < idChars) throw new Error('an id needs at least 17 bytes')
  return `${prefix}_${text}`
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Bytes as letters and digits, always as many as that number of bytes may need. */
export function inBase62(bytes: Uint8Array): string {
  let rest = 0n
  for (const byte of bytes) rest = (rest << 8n) | BigInt(byte)
  const chars = Math.ceil((bytes.length * 8) / Math.log2(62))
  let text = ''
  for (; text.length < chars; rest /= 62n) text = base62[Number(rest % 62n)]! + text
  return text
}
