/**
 * Encryption of secrets at rest. A data key per org seals its secrets, the root key seals the data keys, and every
 * envelope is bound to its record: moved to another record it no longer opens.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** An envelope is one byte of version, the id of its key, the nonce, the ciphertext, the tag. */
const envelopeVersion = 1
const keyIdBytes = 8
const nonceBytes = 12
const tagBytes = 16
const headBytes = 1 + keyIdBytes + nonceBytes
export const keyBytes = 32

/** The record to which a sealed secret belongs. */
export interface SealContext {
  readonly orgId: string
  readonly kind: string
  readonly id: string
}

/** The source of random bytes; injected where sealing must be reproducible in a replay. */
export type Random = (bytes: number) => Uint8Array

/**
 * Derives a key for one purpose. All keys are used through this function, so no two purposes share a key and no derived
 * key reveals its source.
 */
export function deriveKey(key: Uint8Array, purpose: string): Buffer {
  if (key.length !== keyBytes) throw new Error(`a key has ${keyBytes} bytes, not ${key.length}`)
  return Buffer.from(hkdfSync('sha256', key, '', `parley ${purpose}`, keyBytes))
}

/** Identifies a key without revealing anything of it. */
export function keyId(key: Uint8Array): string {
  return deriveKeys(key).id.toString('hex')
}

/** The id of the key that sealed an envelope; after a change of keys it shows which envelopes to reseal. */
export function sealKeyId(envelope: Uint8Array): string {
  return parseEnvelope(envelope)
    .subarray(1, 1 + keyIdBytes)
    .toString('hex')
}

export function newDataKey(random: Random = randomBytes): Buffer {
  return Buffer.from(random(keyBytes))
}

export function sealDataKey(root: Uint8Array, dataKey: Uint8Array, orgId: string, random?: Random): Buffer {
  if (dataKey.length !== keyBytes) throw new Error(`a data key has ${keyBytes} bytes, not ${dataKey.length}`)
  return seal(root, dataKeyContext(orgId), dataKey, random)
}

export function openDataKey(root: Uint8Array, envelope: Uint8Array, orgId: string): Buffer {
  return open(root, dataKeyContext(orgId), envelope)
}

export function seal(
  key: Uint8Array,
  context: SealContext,
  secret: Uint8Array | string,
  random: Random = randomBytes,
): Buffer {
  const { id, sealKey } = deriveKeys(key)
  const head = Buffer.concat([Uint8Array.of(envelopeVersion), id, random(nonceBytes)])
  if (head.length !== headBytes) throw new Error(`a nonce has ${nonceBytes} bytes`)
  const cipher = createCipheriv('aes-256-gcm', sealKey, head.subarray(-nonceBytes), gcm)
  cipher.setAAD(additionalData(head, context))
  const plain = typeof secret === 'string' ? Buffer.from(secret) : secret
  return Buffer.concat([head, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Throws when the envelope was changed, or was sealed with another key or for another context. */
export function open(key: Uint8Array, context: SealContext, envelope: Uint8Array): Buffer {
  const bytes = parseEnvelope(envelope)
  const head = bytes.subarray(0, headBytes)
  const { id, sealKey } = deriveKeys(key)
  if (!timingSafeEqual(head.subarray(1, 1 + keyIdBytes), id)) {
    throw new Error('a secret was sealed with another key')
  }
  const cipher = createDecipheriv('aes-256-gcm', sealKey, head.subarray(-nonceBytes), gcm)
  cipher.setAAD(additionalData(head, context))
  cipher.setAuthTag(bytes.subarray(-tagBytes))
  return Buffer.concat([cipher.update(bytes.subarray(headBytes, -tagBytes)), cipher.final()])
}

const gcm = { authTagLength: tagBytes } as const

function dataKeyContext(orgId: string): SealContext {
  return { orgId, kind: 'dataKey', id: orgId }
}

interface DerivedKeys {
  readonly id: Buffer
  readonly sealKey: Buffer
}
const derivedByKey = new WeakMap<Uint8Array, DerivedKeys>()

/** Cached for each key object, which is never written to; the entry is collected with the key. */
function deriveKeys(key: Uint8Array): DerivedKeys {
  const cached = derivedByKey.get(key)
  if (cached) return cached
  const created = { id: deriveKey(key, 'key id').subarray(0, keyIdBytes), sealKey: deriveKey(key, 'seal') }
  derivedByKey.set(key, created)
  return created
}

/** Written as JSON so that different contexts have different bytes, with any characters in their ids. */
function additionalData(head: Buffer, { orgId, kind, id }: SealContext): Buffer {
  return Buffer.concat([head.subarray(0, 1 + keyIdBytes), Buffer.from(JSON.stringify([orgId, kind, id]))])
}

function parseEnvelope(envelope: Uint8Array): Buffer {
  if (envelope.length < headBytes + tagBytes) throw new Error('a sealed secret is cut short')
  if (envelope[0] !== envelopeVersion) throw new Error(`a secret is sealed in form ${envelope[0]}, which is not known`)
  return Buffer.from(envelope.buffer, envelope.byteOffset, envelope.byteLength)
}
