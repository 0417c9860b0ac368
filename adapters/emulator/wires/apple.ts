/** Apple Messages for Business: one call for everything, no receipts, and a person who starts and ends the thread. */
import { createCipheriv, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { isRecord, parseJson } from '../../../core/json.js'
import { appleMessages, providerEmulator as limits } from '../../../core/limits.js'
import type {
  Accept,
  Account,
  Call,
  Deed,
  Desk,
  Standing,
  Tap,
  Understood,
  Wire,
  WireAnswer,
  WireRequest,
} from '../contract.js'
import { fileCall } from '../files.js'
import type { Loose } from '../shape.js'
import { bearer, mac, same, tokenParts } from '../sign.js'
import { appleMessage, bid } from './appleshapes.js'

interface Auth {
  readonly businessId: string
  readonly mspId: string
  /** Base64 of the key that signs tokens in both directions. */
  readonly secret: string
}
const authOf = (account: Account) => account.auth as unknown as Auth
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function failure(status: number, message: string, headers = {}): WireAnswer {
  return { status, headers, body: { status, message } }
}

const refusals: Readonly<Record<Standing, WireAnswer | undefined>> = {
  well: undefined,
  unreachable: failure(404, 'The destination is not known.'),
  blocked: failure(404, 'The destination is not known.'),
  optedOut: failure(404, 'The conversation was closed.'),
}

export const apple: Wire = {
  name: 'apple',
  prefix: 'apple',
  abilities: ['LIST', 'TIME', 'QUICK', 'AUTH', 'AUTH2', 'FORM'],
  retryAfterMs: limits.retryAfterMs.apple,
  patienceMs: limits.patienceMs.usual,
  address: (given) => given.trim(),

  credentials(mint, { httpUrl }, seed) {
    return {
      businessId: `${mint('a', 8, hex)}-${mint('b', 4, hex)}-4${mint('c', 3, hex)}-8${mint('d', 3, hex)}-${mint('e', 12, hex)}`,
      mspId: mint('mspId', 12, hex),
      secret: seed('secret').subarray(0, 32).toString('base64'),
      apiUrl: `${httpUrl}/apple`,
    }
  },

  read(request, desk) {
    const [, fileId] = /^\/v1\/files\/([0-9a-f]{32})$/.exec(request.path) ?? []
    if (request.method === 'GET' && fileId !== undefined) return fileRead(fileId, desk)
    const known = { GET: ['/v1/preDownload'], POST: ['/v1/message', '/v1/decodePayload'] }[request.method] ?? []
    if (!known.includes(request.path)) return failure(404, 'There is no such resource.')
    const token = bearer(request.header('authorization'))
    if (token === '') return failure(401, 'The Authorization header is missing.')
    const source = request.header('source-id')
    const account = desk.accounts('apple').find((each) => authOf(each).businessId === source)
    if (!account || !isGoodToken(token, account, desk)) return failure(403, 'The token is not good.')
    const body = parseJson(request.body)
    if (request.path === '/v1/preDownload') return placeOfFile(request, account, desk)
    if (request.path === '/v1/decodePayload')
      return body === undefined ? failure(400, 'Not a payload.') : { status: 200, body }
    const problem =
      body === undefined ? 'The body is not JSON' : (appleMessage(body, '') ?? unlike(body as Loose, request))
    if (problem !== undefined) return failure(400, `${problem}.`)
    const address = request.header('destination-id')
    const isTyping = String((body as Loose).type).startsWith('typing')
    const perform = (accept: Accept) => sent(body as Loose, account, address, desk, accept)
    return { account, address, what: isTyping ? 'other' : 'message', perform }
  },

  refusal: (status, retryAfter) =>
    failure(
      status,
      'The emulator was told to refuse this.',
      retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    ),

  tell: () => undefined,

  deed(account, address, deed, desk) {
    const told = (content: object) => [pushed(account, address, content, desk)]
    switch (deed.kind) {
      case 'text':
        return told({ type: 'text', body: deed.text })
      case 'stop':
        return told({ type: 'text', body: 'STOP' })
      case 'tap':
        return told({ type: 'interactive', ...referredTo(picked(deed), account, address, desk) })
      case 'media':
        return told({ type: 'text', body: '\uFFFC', attachments: [attachmentOf(deed, account, address, desk)] })
      case 'typing':
        return told({ type: 'typing_start' })
      // The person deletes the thread: nothing may be sent until they write again.
      case 'optOut':
        desk.setOptedOut(account, address, true)
        return told({ type: 'close' })
      default:
        return `Apple tells nothing of ${deed.kind}.`
    }
  },

  taps(body) {
    const { interactiveData } = isRecord(body) ? body : {}
    const { data } = isRecord(interactiveData) ? interactiveData : {}
    if (!isRecord(data)) return []
    const { listPicker, event, 'quick-reply': quick } = data as Readonly<Record<string, Loose>>
    const items = ((listPicker?.sections ?? []) as readonly Loose[]).flatMap(
      (section) => section.items as readonly Loose[],
    )
    return [
      ...((quick?.items ?? []) as readonly Loose[]).map((item) => tapOf(item, item.title)),
      ...items.map((item) => ({ ...tapOf(item, item.title), row: true as const })),
      ...((event?.timeslots ?? []) as readonly Loose[]).map((slot) => ({
        ...tapOf(slot, slot.startTime),
        row: true as const,
      })),
    ]
  },
}

const hex = '0123456789abcdef'

async function sent(body: Loose, account: Account, address: string, desk: Desk, accept: Accept): Promise<WireAnswer> {
  const refusal = refusals[desk.standing(account, address)]
  if (refusal) return refusal
  if (desk.heardAt(account, address) === undefined) return failure(404, 'The person has not started a conversation.')
  if (!String(body.type).startsWith('typing')) await accept(body.id as string, body, [])
  return { status: 200 }
}

/** Signed with the shared key by whoever sends, and said to be from the provider account. */
function isGoodToken(token: string, account: Account, desk: Desk): boolean {
  const parts = tokenParts(token)
  if (!parts || !isRecord(parts.header) || !isRecord(parts.claims) || parts.header.alg !== 'HS256') return false
  const { iss, iat } = parts.claims
  const isTimely = typeof iat === 'number' && Math.abs(desk.now() - iat * 1_000) <= limits.apple.tokenSkewMs
  return isTimely && iss === authOf(account).mspId && same(parts.signature, signatureOf(account, parts.signed))
}

function signatureOf(account: Account, text: string): string {
  return mac('sha256', Buffer.from(authOf(account).secret, 'base64'), text, 'base64url')
}

function unlike(body: Loose, request: WireRequest): string | undefined {
  if (!uuid.test(request.header('id'))) return 'The id header is not a UUID'
  const pairs = [
    ['id', 'id'],
    ['sourceId', 'source-id'],
    ['destinationId', 'destination-id'],
  ] as const
  const wrong = pairs.find(([field, header]) => body[field] !== request.header(header))
  return wrong && `${wrong[0]} is not what the ${wrong[1]} header says`
}

function pushed(account: Account, address: string, content: object, desk: Desk): Call {
  const { businessId, mspId } = authOf(account)
  const id = randomUUID()
  desk.said(account, id)
  // Whoever writes has opened the thread again.
  if ((content as Loose).type !== 'close' && (content as Loose).type !== 'typing_start')
    desk.setOptedOut(account, address, false)
  const claims = { aud: mspId, iat: Math.floor(desk.now() / 1_000) }
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${signed}.${signatureOf(account, signed)}`,
    id,
    'source-id': address,
    'destination-id': businessId,
    'capability-list': desk.abilities(account, address).join(','),
  }
  const body = JSON.stringify({ v: 1, id, sourceId: address, destinationId: businessId, locale: 'en_US', ...content })
  return { method: 'POST', url: `${account.ingressUrl ?? ''}/message`, headers, body: gzipSync(body) }
}

function tapOf(item: Loose, label: unknown): Tap {
  return { label: String(label), postback: String(item.identifier), part: item }
}

/** What was picked comes back in the place where it was offered, without the rest. */
function picked({ tap, kept }: Extract<Deed, { kind: 'tap' }>): object {
  const { interactiveData } = kept.body as { interactiveData: { data: Readonly<Record<string, Loose>> } }
  const { version, requestIdentifier, listPicker, event, 'quick-reply': quick } = interactiveData.data
  const reply = { version, requestIdentifier, replyMessage: { title: tap.label } }
  if (listPicker) return { bid, data: { ...reply, listPicker: { sections: [{ items: [tap.part] }] } } }
  if (event) return { bid, data: { ...reply, event: { ...event, timeslots: [tap.part] } } }
  const items = quick?.items as readonly Loose[]
  const selected = { selectedIdentifier: tap.postback, selectedIndex: items.indexOf(tap.part as Loose) }
  return { bid, data: { ...reply, 'quick-reply': { ...quick, ...selected } } }
}

/** Bytes lie with Apple under a name, encrypted; the key goes with the call. */
function filed(bytes: Buffer, account: Account, address: string, desk: Desk) {
  const [name, key] = [desk.newId(16), desk.newId(32)]
  const cipher = createCipheriv('aes-256-ctr', Buffer.from(key, 'hex'), Buffer.alloc(16))
  const data = Buffer.concat([cipher.update(bytes), cipher.final()])
  desk.keepFile(account, name, { address, url: `data:;base64,${data.toString('base64')}`, type: fileType })
  const signature = mac('sha256', Buffer.from(key, 'hex'), name, 'hex')
  return { url: `https://mmcs.example/${name}`, owner: `M${name}`, signature, size: bytes.length, key: `00${key}` }
}

const fileType = 'application/octet-stream'

function attachmentOf(deed: Extract<Deed, { kind: 'media' }>, account: Account, address: string, desk: Desk) {
  const { url, type, name } = deed
  const [, data = ''] = /^data:[^,]*;base64,(.*)$/s.exec(url) ?? []
  return { ...filed(Buffer.from(data, 'base64'), account, address, desk), mimeType: type, name: name ?? 'file' }
}

/** A large answer is only referred to. */
function referredTo(interactiveData: object, account: Account, address: string, desk: Desk): object {
  const bytes = Buffer.from(JSON.stringify(interactiveData))
  if (bytes.length <= appleMessages.interactiveBytes) return { interactiveData }
  return { interactiveDataRef: { bid, ...filed(bytes, account, address, desk) } }
}

function placeOfFile(request: WireRequest, account: Account, desk: Desk): WireAnswer {
  const name = /^https:\/\/mmcs\.example\/([0-9a-f]{32})$/.exec(request.header('mmcs-url'))?.[1] ?? ''
  const isSigned = /^[A-Za-z0-9+/]{43}=$/.test(request.header('mmcs-signature'))
  if (!isSigned || request.header('mmcs-owner') !== `M${name}`)
    return failure(400, 'The headers of the file are wrong.')
  if (!desk.fileOf(account, name)) return failure(404, 'There is no such file.')
  return { status: 200, body: { 'download-url': `${account.auth.apiUrl}/v1/files/${name}` } }
}

function fileRead(name: string, desk: Desk): Understood {
  for (const account of desk.accounts('apple')) {
    const file = desk.fileOf(account, name)
    if (file) return fileCall(account, file)
  }
  return failure(404, 'There is no such file.')
}
