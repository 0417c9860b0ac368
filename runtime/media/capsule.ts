/**
 * Capsules: what we need to know to open something that a person sent, in a word that can stand in an address. Nobody but
 * this installation can read or make one, and any other character makes it worth nothing.
 */
import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import type { AgentPlace } from '../../core/agentkey.js'
import { deriveKey } from '../store/seal.js'

/** Something that came in over a binding, by the name under which its adapter opens it. */
export interface ReceivedMedia extends AgentPlace {
  readonly bindingId: string
  readonly held: string
}

export interface Capsules {
  /** The same word for the same thing, each time and in every process. Made at once. */
  seal(received: ReceivedMedia): string
  /** Undefined for every word that `seal` did not make. */
  open(word: string): ReceivedMedia | undefined
}

const version = Buffer.of(1)
const nonceBytes = 12
const tagBytes = 16
const gcm = { authTagLength: tagBytes } as const

export function openCapsules(key: Uint8Array): Capsules {
  const sealing = deriveKey(key, 'capsules')
  const naming = deriveKey(key, 'capsule nonces')

  /** Follows from what is sealed, so that no nonce is ever used for two things. */
  const nonceOf = (plain: Buffer) => createHmac('sha256', naming).update(plain).digest().subarray(0, nonceBytes)

  function seal(received: ReceivedMedia): string {
    const plain = written(received)
    const nonce = nonceOf(plain)
    const cipher = createCipheriv('aes-256-gcm', sealing, nonce, gcm).setAAD(version)
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([version, nonce, sealed, cipher.getAuthTag()]).toString('base64url')
  }

  function deciphered(bytes: Buffer): Buffer | undefined {
    const [from, till] = [version.length + nonceBytes, bytes.length - tagBytes]
    if (till <= from || !bytes.subarray(0, version.length).equals(version)) return undefined
    const cipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(version.length, from), gcm)
    cipher.setAAD(version).setAuthTag(bytes.subarray(till))
    try {
      return Buffer.concat([cipher.update(bytes.subarray(from, till)), cipher.final()])
    } catch {
      return undefined
    }
  }

  return {
    seal,
    open(word) {
      const plain = deciphered(Buffer.from(word, 'base64url'))
      const received = plain && read(plain)
      // The same bytes can be written in several ways, of which one is the capsule.
      return received && isSame(word, seal(received)) ? received : undefined
    },
  }
}

/** No id has a line break in it, and what is held comes last. */
function written({ orgId, agentId, bindingId, held }: ReceivedMedia): Buffer {
  return Buffer.from([orgId, agentId, bindingId, held].join('\n'))
}

function read(plain: Buffer): ReceivedMedia | undefined {
  const [orgId, agentId, bindingId, ...rest] = plain.toString().split('\n')
  if (orgId === undefined || agentId === undefined || bindingId === undefined) return undefined
  return { orgId, agentId, bindingId, held: rest.join('\n') }
}

function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}
