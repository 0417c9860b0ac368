/** The tokens of Apple Messages for Business: signed with one secret both ways, and about who calls, not what is said. */
import { createHmac } from 'node:crypto'
import { isRecord } from '../../core/json.js'
import { appleMessages as limits } from '../../core/limits.js'
import { asNumber, readJson, sameText } from '../kit/wire.js'
import type { AppleAuth } from './descriptor.js'

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The secret is given out as base64; one that is no base64 of a useful length is the key as it stands. */
function keyOf(secret: string): string | Uint8Array {
  const bytes = Buffer.from(secret, 'base64')
  return bytes.length >= limits.keyLeastBytes && bytes.toString('base64') === secret ? bytes : secret
}

function signed(content: string, secret: string): string {
  return createHmac('sha256', keyOf(secret)).update(content).digest('base64url')
}

export function makeToken({ mspId, secret }: AppleAuth, at: number): string {
  const content = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded({ iss: mspId, iat: Math.floor(at / 1_000) })}`
  return `${content}.${signed(content, secret)}`
}

/** Whether an `authorization` is Apple's, is meant for this account, and is not out of date. */
export function isApples(authorization: string, { mspId, secret }: AppleAuth, at: number): boolean {
  const [, head = '', claims = '', signature = ''] =
    /^Bearer ([\w-]{1,1000})\.([\w-]{1,4000})\.([\w-]{1,200})$/i.exec(authorization) ?? []
  if (!sameText(signature, signed(`${head}.${claims}`, secret))) return false
  const told = readJson(Buffer.from(head, 'base64url'))
  const about = readJson(Buffer.from(claims, 'base64url'))
  if (!isRecord(told) || told.alg !== 'HS256' || !isRecord(about)) return false
  return isFor(about.aud, mspId) && isInTime(about, at)
}

function isFor(audience: unknown, mspId: string): boolean {
  return Array.isArray(audience) ? audience.includes(mspId) : audience === mspId
}

/** It says when it was made, or until when it holds, or both. */
function isInTime({ iat, exp, nbf }: Readonly<Record<string, unknown>>, at: number): boolean {
  const [made, ends, begins] = [asNumber(iat), asNumber(exp), asNumber(nbf)]
  if (made === undefined && ends === undefined) return false
  const isOld = made !== undefined && at - made * 1_000 > limits.tokenMs
  const isOver = ends !== undefined && at >= ends * 1_000 + limits.skewMs
  const isEarly = [made, begins].some((time) => time !== undefined && time * 1_000 > at + limits.skewMs)
  return !isOver && !isEarly && !(isOld && ends === undefined)
}
