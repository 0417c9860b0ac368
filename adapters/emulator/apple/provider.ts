/** Emulates Apple Messages for Business: one call for everything, no receipts; people open and close the thread. */
import { createCipheriv, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { isRecord, parseJson } from '../../../core/json.js'
import { appleMessages, providerEmulator as limits } from '../../../core/limits/index.js'
import type {
  Accept,
  Account,
  Call,
  EmulatedProvider,
  EmulatorAnswer,
  EmulatorContext,
  EmulatorRequest,
  ParsedCall,
  RecipientStatus,
  Tap,
  UserAct,
} from '../contract.js'
import { fileCall } from '../files.js'
import type { JsonObject } from '../shape.js'
import { bearer, hmac, safeEqual, tokenParts } from '../signature.js'
import { appleMessage, bid } from './schema.js'

interface Auth {
  readonly businessId: string
  readonly mspId: string
  /** Base64 of the key that signs tokens in both directions. */
  readonly secret: string
}
const authOf = (account: Account) => account.auth as unknown as Auth
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function failure(status: number, message: string, headers = {}): EmulatorAnswer {
  return { status, headers, body: { status, message } }
}

const refusals: Readonly<Record<RecipientStatus, EmulatorAnswer | undefined>> = {
  well: undefined,
  unreachable: failure(404, 'The destination is not known.'),
  blocked: failure(404, 'The destination is not known.'),
  optedOut: failure(404, 'The conversation was closed.'),
}

export const apple: EmulatedProvider = {
  name: 'apple',
  prefix: 'apple',
  deviceCapabilities: ['LIST', 'TIME', 'QUICK', 'AUTH', 'AUTH2', 'FORM'],
  retryAfterMs: limits.retryAfterMs.apple,
  timeoutMs: limits.webhookTimeoutMs.usual,
  address: (text) => text.trim(),

  credentials(mint, { httpUrl }, seed) {
    return {
      businessId: `${mint('a', 8, hex)}-${mint('b', 4, hex)}-4${mint('c', 3, hex)}-8${mint('d', 3, hex)}-${mint('e', 12, hex)}`,
      mspId: mint('mspId', 12, hex),
      secret: seed('secret').subarray(0, 32).toString('base64'),
      apiUrl: `${httpUrl}/apple`,
    }
  },

  read(request, context) {
    const [, fileId] = /^\/v1\/files\/([0-9a-f]{32})$/.exec(request.path) ?? []
    if (request.method === 'GET' && fileId !== undefined) return readFile(fileId, context)
    const paths = { GET: ['/v1/preDownload'], POST: ['/v1/message', '/v1/decodePayload'] }[request.method] ?? []
    if (!paths.includes(request.path)) return failure(404, 'There is no such resource.')
    const token = bearer(request.header('authorization'))
    if (token === '') return failure(401, 'The Authorization header is missing.')
    const source = request.header('source-id')
    const account = context.accounts('apple').find((each) => authOf(each).businessId === source)
    if (!account || !isValidToken(token, account, context)) return failure(403, 'The token is not good.')
    const body = parseJson(request.body)
    if (request.path === '/v1/preDownload') return locateFile(request, account, context)
    if (request.path === '/v1/decodePayload')
      return body === undefined ? failure(400, 'Not a payload.') : { status: 200, body }
    const problem =
      body === undefined
        ? 'The body is not JSON'
        : (appleMessage(body, '') ?? headerMismatch(body as JsonObject, request))
    if (problem !== undefined) return failure(400, `${problem}.`)
    const address = request.header('destination-id')
    const isTyping = String((body as JsonObject).type).startsWith('typing')
    const perform = (accept: Accept) => acceptMessage(body as JsonObject, account, address, context, accept)
    return { account, address, kind: isTyping ? 'other' : 'message', perform }
  },

  refusal: (status, retryAfter) =>
    failure(
      status,
      'A fault of the emulator refuses this.',
      retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    ),

  receiptCallback: () => undefined,

  callbacksFor(account, address, userAct, context) {
    const callbacks = (content: object) => [callback(account, address, content, context)]
    switch (userAct.kind) {
      case 'text':
        return callbacks({ type: 'text', body: userAct.text })
      case 'stop':
        return callbacks({ type: 'text', body: 'STOP' })
      case 'tap':
        return callbacks({ type: 'interactive', ...byReference(pickedContent(userAct), account, address, context) })
      case 'media':
        return callbacks({
          type: 'text',
          body: '\uFFFC',
          attachments: [attachmentOf(userAct, account, address, context)],
        })
      case 'typing':
        return callbacks({ type: 'typing_start' })
      // Apple sends `close` when the person deletes the thread: nothing may be sent until they write again.
      case 'optOut':
        context.setOptedOut(account, address, true)
        return callbacks({ type: 'close' })
      default:
        return `Apple does not report ${userAct.kind}.`
    }
  },

  taps(body) {
    const { interactiveData } = isRecord(body) ? body : {}
    const { data } = isRecord(interactiveData) ? interactiveData : {}
    if (!isRecord(data)) return []
    const { listPicker, event, 'quick-reply': quick } = data as Readonly<Record<string, JsonObject>>
    const items = ((listPicker?.sections ?? []) as readonly JsonObject[]).flatMap(
      (section) => section.items as readonly JsonObject[],
    )
    return [
      ...((quick?.items ?? []) as readonly JsonObject[]).map((item) => tapOf(item, item.title)),
      ...items.map((item) => ({ ...tapOf(item, item.title), row: true as const })),
      ...((event?.timeslots ?? []) as readonly JsonObject[]).map((slot) => ({
        ...tapOf(slot, slot.startTime),
        row: true as const,
      })),
    ]
  },
}

const hex = '0123456789abcdef'

async function acceptMessage(
  body: JsonObject,
  account: Account,
  address: string,
  context: EmulatorContext,
  accept: Accept,
): Promise<EmulatorAnswer> {
  const refusal = refusals[context.recipientStatus(account, address)]
  if (refusal) return refusal
  if (context.lastActiveAt(account, address) === undefined)
    return failure(404, 'The person has not started a conversation.')
  if (!String(body.type).startsWith('typing')) await accept(body.id as string, body, [])
  return { status: 200 }
}

/** Tokens are signed with the shared key, and their issuer must be the provider account. */
function isValidToken(token: string, account: Account, context: EmulatorContext): boolean {
  const parts = tokenParts(token)
  if (!parts || !isRecord(parts.header) || !isRecord(parts.claims) || parts.header.alg !== 'HS256') return false
  const { iss, iat } = parts.claims
  const isTimely = typeof iat === 'number' && Math.abs(context.now() - iat * 1_000) <= limits.apple.tokenSkewMs
  return isTimely && iss === authOf(account).mspId && safeEqual(parts.signature, signatureOf(account, parts.signed))
}

function signatureOf(account: Account, text: string): string {
  return hmac('sha256', Buffer.from(authOf(account).secret, 'base64'), text, 'base64url')
}

function headerMismatch(body: JsonObject, request: EmulatorRequest): string | undefined {
  if (!uuid.test(request.header('id'))) return 'The id header is not a UUID'
  const pairs = [
    ['id', 'id'],
    ['sourceId', 'source-id'],
    ['destinationId', 'destination-id'],
  ] as const
  const mismatch = pairs.find(([field, header]) => body[field] !== request.header(header))
  return mismatch && `${mismatch[0]} is not what the ${mismatch[1]} header says`
}

function callback(account: Account, address: string, content: object, context: EmulatorContext): Call {
  const { businessId, mspId } = authOf(account)
  const id = randomUUID()
  context.recordId(account, id)
  // A message from the person opens the thread again.
  if ((content as JsonObject).type !== 'close' && (content as JsonObject).type !== 'typing_start')
    context.setOptedOut(account, address, false)
  const claims = { aud: mspId, iat: Math.floor(context.now() / 1_000) }
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${signed}.${signatureOf(account, signed)}`,
    id,
    'source-id': address,
    'destination-id': businessId,
    'capability-list': context.deviceCapabilities(account, address).join(','),
  }
  const body = JSON.stringify({ v: 1, id, sourceId: address, destinationId: businessId, locale: 'en_US', ...content })
  return { method: 'POST', url: `${account.ingressUrl ?? ''}/message`, headers, body: gzipSync(body) }
}

function tapOf(item: JsonObject, label: unknown): Tap {
  return { label: String(label), postback: String(item.identifier), part: item }
}

/** The reply has the shape of the request, with only the picked entry in it. */
function pickedContent({ tap, accepted }: Extract<UserAct, { kind: 'tap' }>): object {
  const { interactiveData } = accepted.body as { interactiveData: { data: Readonly<Record<string, JsonObject>> } }
  const { version, requestIdentifier, listPicker, event, 'quick-reply': quick } = interactiveData.data
  const reply = { version, requestIdentifier, replyMessage: { title: tap.label } }
  if (listPicker) return { bid, data: { ...reply, listPicker: { sections: [{ items: [tap.part] }] } } }
  if (event) return { bid, data: { ...reply, event: { ...event, timeslots: [tap.part] } } }
  const items = quick?.items as readonly JsonObject[]
  const selected = { selectedIdentifier: tap.postback, selectedIndex: items.indexOf(tap.part as JsonObject) }
  return { bid, data: { ...reply, 'quick-reply': { ...quick, ...selected } } }
}

/** Apple stores files encrypted under a name; the callback carries the key. */
function storeFile(bytes: Buffer, account: Account, address: string, context: EmulatorContext) {
  const [name, key] = [context.newId(16), context.newId(32)]
  const cipher = createCipheriv('aes-256-ctr', Buffer.from(key, 'hex'), Buffer.alloc(16))
  const data = Buffer.concat([cipher.update(bytes), cipher.final()])
  context.saveFile(account, name, { address, url: `data:;base64,${data.toString('base64')}`, type: fileType })
  const signature = hmac('sha256', Buffer.from(key, 'hex'), name, 'hex')
  return { url: `https://mmcs.example/${name}`, owner: `M${name}`, signature, size: bytes.length, key: `00${key}` }
}

const fileType = 'application/octet-stream'

function attachmentOf(
  userAct: Extract<UserAct, { kind: 'media' }>,
  account: Account,
  address: string,
  context: EmulatorContext,
) {
  const { url, type, name } = userAct
  const [, data = ''] = /^data:[^,]*;base64,(.*)$/s.exec(url) ?? []
  return { ...storeFile(Buffer.from(data, 'base64'), account, address, context), mimeType: type, name: name ?? 'file' }
}

/** An answer over the size limit is stored as a file, and the callback refers to it. */
function byReference(interactiveData: object, account: Account, address: string, context: EmulatorContext): object {
  const bytes = Buffer.from(JSON.stringify(interactiveData))
  if (bytes.length <= appleMessages.interactiveBytes) return { interactiveData }
  return { interactiveDataRef: { bid, ...storeFile(bytes, account, address, context) } }
}

function locateFile(request: EmulatorRequest, account: Account, context: EmulatorContext): EmulatorAnswer {
  const name = /^https:\/\/mmcs\.example\/([0-9a-f]{32})$/.exec(request.header('mmcs-url'))?.[1] ?? ''
  const isSigned = /^[A-Za-z0-9+/]{43}=$/.test(request.header('mmcs-signature'))
  if (!isSigned || request.header('mmcs-owner') !== `M${name}`)
    return failure(400, 'The headers of the file are wrong.')
  if (!context.fileOf(account, name)) return failure(404, 'There is no such file.')
  return { status: 200, body: { 'download-url': `${account.auth.apiUrl}/v1/files/${name}` } }
}

function readFile(name: string, context: EmulatorContext): ParsedCall {
  for (const account of context.accounts('apple')) {
    const file = context.fileOf(account, name)
    if (file) return fileCall(account, file)
  }
  return failure(404, 'There is no such file.')
}
