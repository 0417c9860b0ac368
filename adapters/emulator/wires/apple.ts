/** Apple Messages for Business: one call for everything, no receipts, and a person who starts and ends the thread. */
import { randomUUID } from 'node:crypto'
import { providerEmulator as limits } from '../../../core/limits.js'
import type { Accept, Account, Call, Deed, Desk, Standing, Tap, Wire, WireAnswer, WireRequest } from '../contract.js'
import { isLoose, type Loose } from '../shape.js'
import { bearer, jsonOf, mac, same, tokenParts } from '../sign.js'
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
    if (request.method !== 'POST' || request.path !== '/v1/message') return failure(404, 'There is no such resource.')
    const token = bearer(request.header('authorization'))
    if (token === '') return failure(401, 'The Authorization header is missing.')
    const source = request.header('source-id')
    const account = desk.accounts('apple').find((each) => authOf(each).businessId === source)
    if (!account || !isGoodToken(token, account, desk)) return failure(403, 'The token is not good.')
    const body = jsonOf(request.body)
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
        return told({ type: 'interactive', interactiveData: picked(deed) })
      case 'media':
        return told({ type: 'text', body: '\uFFFC', attachments: [attachmentOf(deed, desk)] })
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
    const { interactiveData } = isLoose(body) ? body : {}
    const { data } = isLoose(interactiveData) ? interactiveData : {}
    if (!isLoose(data)) return []
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
  if (!parts || !isLoose(parts.header) || !isLoose(parts.claims) || parts.header.alg !== 'HS256') return false
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
  return { method: 'POST', url: account.ingressUrl ?? '', headers, body }
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

function attachmentOf({ url, type, name }: Extract<Deed, { kind: 'media' }>, desk: Desk) {
  return { url, mimeType: type, name: name ?? 'file', size: '1024', key: `00${desk.newId(32)}`, owner: 'emulated' }
}
