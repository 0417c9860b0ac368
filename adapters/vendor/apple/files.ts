/**
 * Files of Apple Messages for Business: media of people, and answers that are too large for a call. Apple stores them
 * encrypted. A request with the account's tokens returns the location; the key is in the original call.
 */
import { createDecipheriv } from 'node:crypto'
import type { FollowOutcome, ProviderContext } from '../../../core/channel/adapter.js'
import type { MediaAccess } from '../../../core/channel/providermedia.js'
import { isRecord } from '../../../core/json.js'
import { adapter as limits } from '../../../core/limits/index.js'
import { asText, isTrusted, readJson } from '../../kit/http.js'
import { answerIn } from './answers.js'
import { type AppleAuth, apiUrlOf } from './descriptor.js'
import { makeToken } from './token.js'

/** All data needed to find and decrypt a file. */
interface FileRef {
  readonly url: string
  readonly owner: string
  /** In hex. */
  readonly signature: string
  /** AES-256 in hex, after a zero byte. */
  readonly key: string
  readonly bid?: string
}

/** The ref as one URL-safe word; undefined when a member for opening it is missing or the word is too long. */
export function encodeFileRef(file: Readonly<Record<string, unknown>>): string | undefined {
  const fileRef = fileRefIn(file)
  const encoded = fileRef && Buffer.from(JSON.stringify(fileRef)).toString('base64url')
  return encoded && encoded.length <= limits.mediaRefChars ? encoded : undefined
}

function fileRefIn(file: unknown): FileRef | undefined {
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

const decodeFileRef = (encoded: string): FileRef | undefined => fileRefIn(readJson(Buffer.from(encoded, 'base64url')))
const unreadable = { kind: 'refused', detail: 'It is not known where it lies.' } as const

export async function openMedia(encoded: string, context: ProviderContext<AppleAuth>): Promise<MediaAccess> {
  const fileRef = decodeFileRef(encoded)
  if (!fileRef) return unreadable
  const location = await resolveFile(fileRef, context)
  if (location.kind === 'refused') return location
  return { kind: 'at', url: location.url, headers: {}, aesKey: fileRef.key.slice(2) }
}

type FileLocation =
  | { readonly kind: 'at'; readonly url: string }
  | { readonly kind: 'refused'; readonly detail: string }

async function resolveFile(fileRef: FileRef, { auth, call, now }: ProviderContext<AppleAuth>): Promise<FileLocation> {
  const answer = await call({
    method: 'GET',
    url: `${apiUrlOf(auth)}/preDownload`,
    headers: {
      ...callerHeaders(auth, now()),
      'mmcs-url': fileRef.url,
      'mmcs-signature': Buffer.from(fileRef.signature, 'hex').toString('base64'),
      'mmcs-owner': fileRef.owner,
    },
  })
  if (answer.kind === 'none') return { kind: 'refused', detail: answer.detail }
  const body = readJson(Buffer.from(answer.body))
  const url = answer.status === 200 && isRecord(body) ? asText(body['download-url']) : undefined
  if (url && isTrusted(url, auth.apiUrl)) return { kind: 'at', url }
  return { kind: 'refused', detail: `Apple answered ${answer.status}.` }
}

function callerHeaders(auth: AppleAuth, at: number): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${makeToken(auth, at)}`, 'source-id': auth.businessId }
}

/** Resolves an answer that the call only refers to. */
export async function follow(reference: string, context: ProviderContext<AppleAuth>): Promise<FollowOutcome> {
  const fileRef = decodeFileRef(reference)
  if (!fileRef) return unreadable
  const { auth, call, now } = context
  const location = await resolveFile(fileRef, context)
  if (location.kind === 'refused') return location
  const file = await call({ method: 'GET', url: location.url })
  if (file.kind === 'none') return { kind: 'refused', detail: file.detail }
  if (file.status !== 200 || !file.bytes) return { kind: 'refused', detail: `Apple answered ${file.status}.` }
  const decoded = await call({
    method: 'POST',
    url: `${apiUrlOf(auth)}/decodePayload`,
    headers: { ...callerHeaders(auth, now()), bid: fileRef.bid ?? '', 'content-type': 'application/octet-stream' },
    body: decrypt(file.bytes, fileRef.key),
  })
  if (decoded.kind === 'none') return { kind: 'refused', detail: decoded.detail }
  const body = decoded.status === 200 ? readJson(Buffer.from(decoded.body)) : undefined
  if (!isRecord(body)) return { kind: 'refused', detail: `Apple answered ${decoded.status}.` }
  return { kind: 'inbound', inbound: answerIn(isRecord(body.data) ? body : { data: body }) }
}

function decrypt(bytes: Uint8Array, key: string): Uint8Array {
  const decipher = createDecipheriv('aes-256-ctr', Buffer.from(key.slice(2), 'hex'), Buffer.alloc(16))
  return Buffer.concat([decipher.update(bytes), decipher.final()])
}
