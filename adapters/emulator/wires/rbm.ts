/** RCS Business Messaging: its calls, its token endpoint, and the events it pushes. */
import { randomUUID } from 'node:crypto'
import { isRecord, parseJson } from '../../../core/json.js'
import { providerEmulator as limits } from '../../../core/limits.js'
import type { Accept, Account, Call, Deed, Desk, Standing, Tap, Wire, WireAnswer, WireRequest } from '../contract.js'
import { rsaKeyFrom } from '../rsakey.js'
import type { Loose, Shape } from '../shape.js'
import { mac } from '../sign.js'
import { features, featuresIn, suggestionsIn } from './rbmfeatures.js'
import { agentEvent, agentMessage, batchGet } from './rbmshapes.js'
import { authOf, callerOf, mintToken } from './rbmtoken.js'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
const messageBytes = 250_000
const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

function failure(code: number, message: string, headers = {}): WireAnswer {
  return { status: code, headers, body: { error: { code, message, status: statuses[code] ?? 'UNKNOWN' } } }
}

/** What a person's standing makes of any call about them. */
const refusals: Readonly<Record<Standing, WireAnswer | undefined>> = {
  well: undefined,
  unreachable: failure(404, 'The phone number is not reachable by RCS.'),
  blocked: failure(403, 'The agent may not message this user.'),
  optedOut: failure(403, 'The user has unsubscribed from the agent.'),
}

/** Ids of messages and events of an agent share one space: what was used is ignored. */
const usedIds = (agentId: string, id: string) => `used ${agentId} ${id.toLowerCase()}`

export const rbm: Wire = {
  name: 'rbm',
  prefix: 'rbm',
  abilities: features,
  retryAfterMs: limits.retryAfterMs.rbm,
  patienceMs: limits.patienceMs.usual,
  address: (given) => `+${given.replace(/\D/g, '')}`,

  credentials(mint, { httpUrl }, seed) {
    const privateKey = rsaKeyFrom((label, bytes) =>
      Buffer.concat([seed(`${label} 0`), seed(`${label} 1`)]).subarray(0, bytes),
    )
    const digits = mint('agent', 8, '0123456789')
    const serviceAccount = {
      client_email: `agent-${digits}@emulated.iam.gserviceaccount.com`,
      private_key: privateKey,
      token_uri: `${httpUrl}/rbm/token`,
    }
    return {
      agentId: `agent_${digits}`,
      serviceAccount,
      clientToken: mint('clientToken', 32),
      apiUrl: `${httpUrl}/rbm`,
    }
  },

  read(request, desk) {
    const { method, path } = request
    if (method === 'POST' && path === '/token') return mintToken(request, desk)
    const account = callerOf(request, desk)
    if (!account) return failure(401, 'Request had invalid authentication credentials.')
    if (path === '/v1/users:batchGet' && method === 'POST') return reachable(request, account, desk)
    const [, given = '', what = '', id] = /^\/v1\/phones\/([^/]+)\/(\w+)(?:\/([^/]+))?$/.exec(path) ?? []
    const address = given.replace(/^%2b/i, '+')
    const perform = calls[`${method} ${what}${id === undefined ? '' : '/id'}`]
    if (!perform) return failure(404, 'Requested entity was not found.')
    if (!/^\+[1-9]\d{6,14}$/.test(address)) return failure(400, 'The phone number is not in E.164.')
    if (request.query.get('agentId') !== authOf(account).agentId) return failure(403, 'The agent is not yours.')
    const isMessage = what === 'agentMessages' && method === 'POST'
    return {
      account,
      address,
      what: isMessage ? 'message' : 'other',
      perform: (accept) => perform({ request, account, address, desk, accept, id: id ?? '' }),
    }
  },

  refusal: (status, retryAfter) =>
    failure(
      status,
      'The emulator was told to refuse this.',
      retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    ),

  tell(account, kept, { state }, desk) {
    const eventType = { delivered: 'DELIVERED', read: 'READ' }[state as string]
    const event = { senderPhoneNumber: kept.address, eventType, messageId: kept.providerId }
    return eventType === undefined ? undefined : pushed(account, { ...event, eventId: desk.newId(16) })
  },

  deed(account, address, deed, desk) {
    const who = { senderPhoneNumber: address }
    const message = (content: object) =>
      pushed(account, { ...who, messageId: said(account, desk), sendTime: timeOf(desk), ...content })
    const event = (eventType: string, more = {}) =>
      pushed(account, { ...who, eventType, eventId: desk.newId(16), ...more })
    switch (deed.kind) {
      case 'text':
        return [message({ text: deed.text })]
      case 'stop':
        return [message({ text: 'STOP' })]
      case 'tap':
        return [message({ suggestionResponse: tapped(deed.tap) })]
      case 'location':
        return [message({ location: { latitude: deed.latitude, longitude: deed.longitude } })]
      case 'media':
        return [message({ userFile: { payload: fileOf(deed) } })]
      case 'typing':
        return [event('IS_TYPING')]
      case 'read': {
        const newest = desk.keptFor(account, address).at(-1)
        return newest ? [event('READ', { messageId: newest.providerId })] : 'Nothing was sent to them.'
      }
      // The menu of the phone's app tells both: the event, and the word that the person would have typed.
      case 'optOut':
        desk.setOptedOut(account, address, true)
        return [event('UNSUBSCRIBE'), message({ text: 'STOP' })]
      case 'optIn':
        desk.setOptedOut(account, address, false)
        return [event('SUBSCRIBE'), message({ text: 'START' })]
    }
  },

  taps(body) {
    const content = isRecord(body) ? body.contentMessage : undefined
    return suggestionsIn(content).flatMap((each): Tap[] => {
      const chip = (each.reply ?? each.action) as Loose
      const { text, postbackData } = chip
      return [{ label: String(text), postback: String(postbackData ?? ''), part: each }]
    })
  },

  greeting(account, desk) {
    const secret = desk.newId(12)
    const body = JSON.stringify({ clientToken: authOf(account).clientToken, secret })
    return { call: { method: 'POST', url: account.ingressUrl ?? '', headers: json, body }, answer: secret }
  },
}

const json = { 'content-type': 'application/json' }

interface About {
  readonly request: WireRequest
  readonly account: Account
  readonly address: string
  readonly desk: Desk
  readonly accept: Accept
  readonly id: string
}

const calls: Readonly<Record<string, (about: About) => Promise<WireAnswer> | WireAnswer>> = {
  async 'POST agentMessages'({ request, account, address, desk, accept }) {
    const id = request.query.get('messageId') ?? ''
    const body = parseJson(request.body)
    if (!uuid.test(id)) return failure(400, 'messageId is not a UUID.')
    if (request.body.length > messageBytes) return failure(400, 'The message is larger than 250 KB.')
    const refusal = wrong(agentMessage, body) ?? refusals[desk.standing(account, address)]
    if (refusal) return refusal
    const has = desk.abilities(account, address)
    const lacking = featuresIn(body).find((feature) => !has.includes(feature))
    if (lacking !== undefined) return failure(400, `The device does not support ${lacking}.`)
    if (use(account, id, desk)) await accept(id, body, [{ state: 'delivered' }, { state: 'read' }])
    return {
      status: 200,
      body: { name: `phones/${address}/agentMessages/${id}`, sendTime: timeOf(desk), ...(body as object) },
    }
  },
  'POST agentEvents'({ request, account, address, desk }) {
    const id = request.query.get('eventId') ?? ''
    const body = parseJson(request.body)
    if (!uuid.test(id)) return failure(400, 'eventId is not a UUID.')
    const refusal = wrong(agentEvent, body) ?? refusals[desk.standing(account, address)]
    if (refusal) return refusal
    const { eventType, messageId } = body as { eventType: string; messageId?: string }
    if (eventType === 'READ' && !desk.saidBy(account, messageId ?? ''))
      return failure(404, 'The message was not found.')
    use(account, id, desk)
    return {
      status: 200,
      body: { name: `phones/${address}/agentEvents/${id}`, sendTime: timeOf(desk), ...(body as object) },
    }
  },
  'DELETE agentMessages/id'({ account, desk, id }) {
    return desk.takeBack(account, id) ? { status: 200, body: {} } : failure(404, 'The message was delivered already.')
  },
  'GET capabilities'({ request, account, address, desk }) {
    if (!uuid.test(request.query.get('requestId') ?? '')) return failure(400, 'requestId is not a UUID.')
    const standing = desk.standing(account, address)
    if (standing === 'unreachable') return refusals.unreachable!
    return { status: 200, body: { features: desk.abilities(account, address) } }
  },
}

/** Whether the id was new. */
function use(account: Account, id: string, desk: Desk): boolean {
  const name = usedIds(authOf(account).agentId, id)
  if (desk.saidBy(account, name)) return false
  desk.said(account, name)
  return true
}

function wrong(shape: Shape, body: unknown): WireAnswer | undefined {
  const problem = body === undefined ? 'The body is not JSON' : shape(body, '')
  return problem === undefined ? undefined : failure(400, `${problem}.`)
}

function reachable(request: WireRequest, account: Account, desk: Desk): WireAnswer {
  const body = parseJson(request.body)
  const refusal = wrong(batchGet, body)
  if (refusal) return refusal
  const { users, agentId = authOf(account).agentId } = body as { users: readonly string[]; agentId?: string }
  if (agentId !== authOf(account).agentId) return failure(403, 'The agent is not yours.')
  const reachableUsers = users.filter((address) => desk.standing(account, address) !== 'unreachable')
  const isSampled = users.length >= 500
  return {
    status: 200,
    body: {
      reachableUsers,
      totalRandomSampleUserCount: isSampled ? users.length : 0,
      reachableRandomSampleUserCount: isSampled ? reachableUsers.length : 0,
    },
  }
}

function pushed(account: Account, event: object): Call {
  const { agentId, clientToken } = authOf(account)
  const data = Buffer.from(JSON.stringify({ ...event, agentId }))
  const message = { data: data.toString('base64'), attributes: {}, messageId: randomUUID() }
  const headers = { ...json, 'x-goog-signature': mac('sha512', clientToken, data, 'base64') }
  return { method: 'POST', url: account.ingressUrl ?? '', headers, body: JSON.stringify({ message }) }
}

/** A new name for what a person did, by which the customer may mark it read. */
function said(account: Account, desk: Desk): string {
  const id = randomUUID()
  desk.said(account, id)
  return id
}

function timeOf(desk: Desk): string {
  return new Date(desk.now()).toISOString()
}

function tapped({ label, postback, part }: Tap) {
  return { postbackData: postback, text: label, type: isRecord(part) && part.reply ? 'REPLY' : 'ACTION' }
}

function fileOf({ url, type, name }: Extract<Deed, { kind: 'media' }>) {
  return { mimeType: type, fileSizeBytes: 1_024, fileUri: url, fileName: name ?? 'file' }
}
