/**
 * Tokens of Apple Messages for Business: one shared secret for both directions; they prove the caller, not the body.
 */
import { createHmac } from 'node:crypto'
import { isRecord } from '../../../core/json.js'
import { appleMessages as limits } from '../../../core/limits/index.js'
import { asNumber, readJson, sameText } from '../../kit/http.js'
import type { AppleAuth } from './descriptor.js'

const encodeJson = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Apple issues the secret as base64; a text that is no base64 of a useful length is used as the key itself. */
function keyOf(secret: string): string | Uint8Array {
  const bytes = Buffer.from(secret, 'base64')
  return bytes.length >= limits.keyMinBytes && bytes.toString('base64') === secret ? bytes : secret
}

function sign(content: string, secret: string): string {
  return createHmac('sha256', keyOf(secret)).update(content).digest('base64url')
}

export function makeToken({ mspId, secret }: AppleAuth, at: number): string {
  const content = `${encodeJson({ alg: 'HS256', typ: 'JWT' })}.${encodeJson({ iss: mspId, iat: Math.floor(at / 1_000) })}`
  return `${content}.${sign(content, secret)}`
}

/** Whether an `authorization` header is Apple's, for this account, and current. */
export function isFromApple(authorization: string, { mspId, secret }: AppleAuth, at: number): boolean {
  const [, head = '', claims = '', signature = ''] =
    /^Bearer ([\w-]{1,1000})\.([\w-]{1,4000})\.([\w-]{1,200})$/i.exec(authorization) ?? []
  if (!sameText(signature, sign(`${head}.${claims}`, secret))) return false
  const header = readJson(Buffer.from(head, 'base64url'))
  const payload = readJson(Buffer.from(claims, 'base64url'))
  if (!isRecord(header) || header.alg !== 'HS256' || !isRecord(payload)) return false
  return isForAccount(payload.aud, mspId) && isCurrent(payload, at)
}

function isForAccount(audience: unknown, mspId: string): boolean {
  return Array.isArray(audience) ? audience.includes(mspId) : audience === mspId
}

/** A token has its time of issue, its expiry, or both. */
function isCurrent({ iat, exp, nbf }: Readonly<Record<string, unknown>>, at: number): boolean {
  const [issuedAt, expiresAt, notBefore] = [asNumber(iat), asNumber(exp), asNumber(nbf)]
  if (issuedAt === undefined && expiresAt === undefined) return false
  const isOld = issuedAt !== undefined && at - issuedAt * 1_000 > limits.tokenMs
  const isOver = expiresAt !== undefined && at >= expiresAt * 1_000 + limits.skewMs
  const isEarly = [issuedAt, notBefore].some((time) => time !== undefined && time * 1_000 > at + limits.skewMs)
  return !isOver && !isEarly && !(isOld && expiresAt === undefined)
}
