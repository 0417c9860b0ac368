/**
 * Media tokens: an encrypted reference to inbound media that fits into a URL. Only this installation can read or make
 * one; a token with any changed character is invalid.
 */
import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import type { AgentRef } from '../../core/agentref.js'
import { deriveKey } from '../secrets/seal.js'

/** Inbound media of a binding, by the reference that its adapter opens. */
export interface InboundMediaRef extends AgentRef {
  readonly bindingId: string
  readonly mediaRef: string
}

export interface MediaTokens {
  /** Synchronous and deterministic: the same reference gives the same token in every process. */
  seal(ref: InboundMediaRef): string
  /** Undefined for every token that `seal` did not make. */
  open(token: string): InboundMediaRef | undefined
}

const version = Buffer.of(1)
const nonceBytes = 12
const tagBytes = 16
const gcm = { authTagLength: tagBytes } as const

export function createMediaTokens(key: Uint8Array): MediaTokens {
  const sealKey = deriveKey(key, 'capsules')
  const nonceKey = deriveKey(key, 'capsule nonces')

  /** Derived from the plaintext, so no nonce is used for two plaintexts. */
  const nonceOf = (plain: Buffer) => createHmac('sha256', nonceKey).update(plain).digest().subarray(0, nonceBytes)

  function seal(ref: InboundMediaRef): string {
    const plain = serialize(ref)
    const nonce = nonceOf(plain)
    const cipher = createCipheriv('aes-256-gcm', sealKey, nonce, gcm).setAAD(version)
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([version, nonce, sealed, cipher.getAuthTag()]).toString('base64url')
  }

  function decipher(bytes: Buffer): Buffer | undefined {
    const [from, end] = [version.length + nonceBytes, bytes.length - tagBytes]
    if (end <= from || !bytes.subarray(0, version.length).equals(version)) return undefined
    const cipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(version.length, from), gcm)
    cipher.setAAD(version).setAuthTag(bytes.subarray(end))
    try {
      return Buffer.concat([cipher.update(bytes.subarray(from, end)), cipher.final()])
    } catch {
      return undefined
    }
  }

  return {
    seal,
    open(token) {
      const plain = decipher(Buffer.from(token, 'base64url'))
      const ref = plain && parse(plain)
      // Several encodings give the same bytes; only the canonical one is valid.
      return ref && isSame(token, seal(ref)) ? ref : undefined
    },
  }
}

/** Ids contain no line break, and the media reference comes last. */
function serialize({ orgId, agentId, bindingId, mediaRef }: InboundMediaRef): Buffer {
  return Buffer.from([orgId, agentId, bindingId, mediaRef].join('\n'))
}

function parse(plain: Buffer): InboundMediaRef | undefined {
  const [orgId, agentId, bindingId, ...rest] = plain.toString().split('\n')
  if (orgId === undefined || agentId === undefined || bindingId === undefined) return undefined
  return { orgId, agentId, bindingId, mediaRef: rest.join('\n') }
}

function isSame(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
