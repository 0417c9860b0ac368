/**
 * Files of Apple Messages for Business: what people send, and answers that are too large for a call, lie encrypted with
 * Apple. Where one lies is asked for with the tokens of the account; its key came with the call.
 */
import { createDecipheriv } from 'node:crypto'
import type { FollowOutcome, Reaching } from '../../core/channel/adapter.js'
import type { MediaOpening } from '../../core/channel/held.js'
import { isRecord } from '../../core/json.js'
import { adapter as limits } from '../../core/limits.js'
import { asText, isTrusted, readJson } from '../kit/wire.js'
import { answerIn } from './answers.js'
import { type AppleAuth, apiUrlOf } from './descriptor.js'
import { makeToken } from './token.js'

/** Everything by which a file is found and read. */
interface Filed {
  readonly url: string
  readonly owner: string
  /** In hex. */
  readonly signature: string
  /** AES-256 in hex, behind a byte that is zero. */
  readonly key: string
  readonly bid?: string
}

/** As one word that fits into an address; undefined for what could not be opened. */
export function heldOf(file: Readonly<Record<string, unknown>>): string | undefined {
  const filed = filedIn(file)
  const held = filed && Buffer.from(JSON.stringify(filed)).toString('base64url')
  return held && held.length <= limits.heldChars ? held : undefined
}

function filedIn(file: unknown): Filed | undefined {
  if (!isRecord(file)) return undefined
  const [url, owner, key, bid] = [asText(file.url), asText(file.owner), asText(file.key), asText(file.bid)]
  const signature = asText(file.signature) ?? hexOf(asText(file['signature-base64']))
  const isWhole = url && owner && signature && key && isPlain(owner) && isPlain(url)
  if (!isWhole || !/^([0-9a-f]{2}){1,128}$/i.test(signature) || !/^00[0-9a-f]{64}$/i.test(key)) return undefined
  return { url, owner, signature, key, ...(bid && isPlain(bid) && { bid }) }
}

const isPlain = (text: string) => /^[\x21-\x7e]+$/.test(text)
const hexOf = (text: string | undefined) =>
  text === undefined ? undefined : Buffer.from(text, 'base64').toString('hex')

const read = (held: string): Filed | undefined => filedIn(readJson(Buffer.from(held, 'base64url')))
const unreadable = { kind: 'refused', detail: 'It is not known where it lies.' } as const

export async function openMedia(held: string, reaching: Reaching<AppleAuth>): Promise<MediaOpening> {
  const filed = read(held)
  if (!filed) return unreadable
  const at = await placeOf(filed, reaching)
  if (at.kind === 'refused') return at
  return { kind: 'at', url: at.url, headers: {}, aesKey: filed.key.slice(2) }
}

type FilePlace = { readonly kind: 'at'; readonly url: string } | { readonly kind: 'refused'; readonly detail: string }

async function placeOf(filed: Filed, { auth, call, now }: Reaching<AppleAuth>): Promise<FilePlace> {
  const answer = await call({
    method: 'GET',
    url: `${apiUrlOf(auth)}/preDownload`,
    headers: {
      ...callerOf(auth, now()),
      'mmcs-url': filed.url,
      'mmcs-signature': Buffer.from(filed.signature, 'hex').toString('base64'),
      'mmcs-owner': filed.owner,
    },
  })
  if (answer.kind === 'none') return { kind: 'refused', detail: answer.detail }
  const told = readJson(Buffer.from(answer.body))
  const url = answer.status === 200 && isRecord(told) ? asText(told['download-url']) : undefined
  if (url && isTrusted(url, auth.apiUrl)) return { kind: 'at', url }
  return { kind: 'refused', detail: `Apple answered ${answer.status}.` }
}

function callerOf(auth: AppleAuth, at: number): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${makeToken(auth, at)}`, 'source-id': auth.businessId }
}

/** What was answered in a call that only refers to it. */
export async function follow(reference: string, reaching: Reaching<AppleAuth>): Promise<FollowOutcome> {
  const filed = read(reference)
  if (!filed) return unreadable
  const { auth, call, now } = reaching
  const at = await placeOf(filed, reaching)
  if (at.kind === 'refused') return at
  const file = await call({ method: 'GET', url: at.url })
  if (file.kind === 'none') return { kind: 'refused', detail: file.detail }
  if (file.status !== 200 || !file.bytes) return { kind: 'refused', detail: `Apple answered ${file.status}.` }
  const decoded = await call({
    method: 'POST',
    url: `${apiUrlOf(auth)}/decodePayload`,
    headers: { ...callerOf(auth, now()), bid: filed.bid ?? '', 'content-type': 'application/octet-stream' },
    body: decrypted(file.bytes, filed.key),
  })
  if (decoded.kind === 'none') return { kind: 'refused', detail: decoded.detail }
  const told = decoded.status === 200 ? readJson(Buffer.from(decoded.body)) : undefined
  if (!isRecord(told)) return { kind: 'refused', detail: `Apple answered ${decoded.status}.` }
  return { kind: 'inbound', inbound: answerIn(isRecord(told.data) ? told : { data: told }) }
}

function decrypted(bytes: Uint8Array, key: string): Uint8Array {
  const decipher = createDecipheriv('aes-256-ctr', Buffer.from(key.slice(2), 'hex'), Buffer.alloc(16))
  return Buffer.concat([decipher.update(bytes), decipher.final()])
}
