/** Emulates RCS Business Messaging: its calls, its token endpoint, and the events it pushes. */
import { randomUUID } from 'node:crypto'
import { isRecord, parseJson } from '../../../core/json.js'
import { providerEmulator as limits } from '../../../core/limits/index.js'
import type {
  Accept,
  Account,
  Call,
  EmulatedProvider,
  EmulatorAnswer,
  EmulatorContext,
  EmulatorRequest,
  RecipientStatus,
  Tap,
  UserAct,
} from '../contract.js'
import { rsaKeyFrom } from '../rsakey.js'
import type { JsonObject, Shape } from '../shape.js'
import { hmac } from '../signature.js'
import { features, featuresIn, suggestionsIn } from './features.js'
import { agentEvent, agentMessage, batchGet } from './schema.js'
import { authOf, callerOf, mintToken } from './token.js'

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

function failure(code: number, message: string, headers = {}): EmulatorAnswer {
  return { status: code, headers, body: { error: { code, message, status: statuses[code] ?? 'UNKNOWN' } } }
}

/** Answers to every call about a person in that state. */
const refusals: Readonly<Record<RecipientStatus, EmulatorAnswer | undefined>> = {
  well: undefined,
  unreachable: failure(404, 'The phone number is not reachable by RCS.'),
  blocked: failure(403, 'The agent may not message this user.'),
  optedOut: failure(403, 'The user has unsubscribed from the agent.'),
}

/** Ids of messages and events of an agent share one space; the API ignores a used id. */
const usedIdKey = (agentId: string, id: string) => `used ${agentId} ${id.toLowerCase()}`

export const rbm: EmulatedProvider = {
  name: 'rbm',
  prefix: 'rbm',
  deviceCapabilities: features,
  retryAfterMs: limits.retryAfterMs.rbm,
  timeoutMs: limits.webhookTimeoutMs.usual,
  address: (rawAddress) => `+${rawAddress.replace(/\D/g, '')}`,

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

  read(request, context) {
    const { method, path } = request
    if (method === 'POST' && path === '/token') return mintToken(request, context)
    const account = callerOf(request, context)
    if (!account) return failure(401, 'Request had invalid authentication credentials.')
    if (path === '/v1/users:batchGet' && method === 'POST') return batchReachable(request, account, context)
    const [, rawAddress = '', what = '', id] = /^\/v1\/phones\/([^/]+)\/(\w+)(?:\/([^/]+))?$/.exec(path) ?? []
    const address = rawAddress.replace(/^%2b/i, '+')
    const perform = calls[`${method} ${what}${id === undefined ? '' : '/id'}`]
    if (!perform) return failure(404, 'Requested entity was not found.')
    if (!/^\+[1-9]\d{6,14}$/.test(address)) return failure(400, 'The phone number is not in E.164.')
    if (request.query.get('agentId') !== authOf(account).agentId) return failure(403, 'The agent is not yours.')
    const isMessage = what === 'agentMessages' && method === 'POST'
    return {
      account,
      address,
      kind: isMessage ? 'message' : 'other',
      perform: (accept) => perform({ request, account, address, context, accept, id: id ?? '' }),
    }
  },

  refusal: (status, retryAfter) =>
    failure(
      status,
      'A fault of the emulator refuses this.',
      retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    ),

  receiptCallback(account, accepted, { state }, context) {
    const eventType = { delivered: 'DELIVERED', read: 'READ' }[state as string]
    const event = { senderPhoneNumber: accepted.address, eventType, messageId: accepted.providerId }
    return eventType === undefined ? undefined : callback(account, { ...event, eventId: context.newId(16) })
  },

  callbacksFor(account, address, userAct, context) {
    const sender = { senderPhoneNumber: address }
    const message = (content: object) =>
      callback(account, { ...sender, messageId: newMessageId(account, context), sendTime: timeOf(context), ...content })
    const event = (eventType: string, more = {}) =>
      callback(account, { ...sender, eventType, eventId: context.newId(16), ...more })
    switch (userAct.kind) {
      case 'text':
        return [message({ text: userAct.text })]
      case 'stop':
        return [message({ text: 'STOP' })]
      case 'tap':
        return [message({ suggestionResponse: tapContent(userAct.tap) })]
      case 'location':
        return [message({ location: { latitude: userAct.latitude, longitude: userAct.longitude } })]
      case 'media':
        return [message({ userFile: { payload: fileOf(userAct) } })]
      case 'typing':
        return [event('IS_TYPING')]
      case 'read': {
        const newest = context.messagesFor(account, address).at(-1)
        return newest ? [event('READ', { messageId: newest.providerId })] : 'Nothing was sent to them.'
      }
      // The menu of the phone's app sends both: the event, and the word that the person would type.
      case 'optOut':
        context.setOptedOut(account, address, true)
        return [event('UNSUBSCRIBE'), message({ text: 'STOP' })]
      case 'optIn':
        context.setOptedOut(account, address, false)
        return [event('SUBSCRIBE'), message({ text: 'START' })]
    }
  },

  taps(body) {
    const content = isRecord(body) ? body.contentMessage : undefined
    return suggestionsIn(content).flatMap((each): Tap[] => {
      const chip = (each.reply ?? each.action) as JsonObject
      const { text, postbackData } = chip
      return [{ label: String(text), postback: String(postbackData ?? ''), part: each }]
    })
  },

  greeting(account, context) {
    const secret = context.newId(12)
    const body = JSON.stringify({ clientToken: authOf(account).clientToken, secret })
    return { call: { method: 'POST', url: account.ingressUrl ?? '', headers: json, body }, answer: secret }
  },
}

const json = { 'content-type': 'application/json' }

interface CallInput {
  readonly request: EmulatorRequest
  readonly account: Account
  readonly address: string
  readonly context: EmulatorContext
  readonly accept: Accept
  readonly id: string
}

const calls: Readonly<Record<string, (input: CallInput) => Promise<EmulatorAnswer> | EmulatorAnswer>> = {
  async 'POST agentMessages'({ request, account, address, context, accept }) {
    const id = request.query.get('messageId') ?? ''
    const body = parseJson(request.body)
    if (!uuid.test(id)) return failure(400, 'messageId is not a UUID.')
    if (request.body.length > messageBytes) return failure(400, 'The message is larger than 250 KB.')
    const refusal = shapeError(agentMessage, body) ?? refusals[context.recipientStatus(account, address)]
    if (refusal) return refusal
    const supported = context.deviceCapabilities(account, address)
    const missing = featuresIn(body).find((feature) => !supported.includes(feature))
    if (missing !== undefined) return failure(400, `The device does not support ${missing}.`)
    if (claimId(account, id, context)) await accept(id, body, [{ state: 'delivered' }, { state: 'read' }])
    return {
      status: 200,
      body: { name: `phones/${address}/agentMessages/${id}`, sendTime: timeOf(context), ...(body as object) },
    }
  },
  'POST agentEvents'({ request, account, address, context }) {
    const id = request.query.get('eventId') ?? ''
    const body = parseJson(request.body)
    if (!uuid.test(id)) return failure(400, 'eventId is not a UUID.')
    const refusal = shapeError(agentEvent, body) ?? refusals[context.recipientStatus(account, address)]
    if (refusal) return refusal
    const { eventType, messageId } = body as { eventType: string; messageId?: string }
    if (eventType === 'READ' && !context.hasId(account, messageId ?? ''))
      return failure(404, 'The message was not found.')
    claimId(account, id, context)
    return {
      status: 200,
      body: { name: `phones/${address}/agentEvents/${id}`, sendTime: timeOf(context), ...(body as object) },
    }
  },
  'DELETE agentMessages/id'({ account, context, id }) {
    return context.revoke(account, id) ? { status: 200, body: {} } : failure(404, 'The message was delivered already.')
  },
  'GET capabilities'({ request, account, address, context }) {
    if (!uuid.test(request.query.get('requestId') ?? '')) return failure(400, 'requestId is not a UUID.')
    const recipientStatus = context.recipientStatus(account, address)
    if (recipientStatus === 'unreachable') return refusals.unreachable!
    return { status: 200, body: { features: context.deviceCapabilities(account, address) } }
  },
}

/** True when the id is new. */
function claimId(account: Account, id: string, context: EmulatorContext): boolean {
  const name = usedIdKey(authOf(account).agentId, id)
  if (context.hasId(account, name)) return false
  context.recordId(account, name)
  return true
}

function shapeError(shape: Shape, body: unknown): EmulatorAnswer | undefined {
  const problem = body === undefined ? 'The body is not JSON' : shape(body, '')
  return problem === undefined ? undefined : failure(400, `${problem}.`)
}

function batchReachable(request: EmulatorRequest, account: Account, context: EmulatorContext): EmulatorAnswer {
  const body = parseJson(request.body)
  const refusal = shapeError(batchGet, body)
  if (refusal) return refusal
  const { users, agentId = authOf(account).agentId } = body as { users: readonly string[]; agentId?: string }
  if (agentId !== authOf(account).agentId) return failure(403, 'The agent is not yours.')
  const reachableUsers = users.filter((address) => context.recipientStatus(account, address) !== 'unreachable')
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

function callback(account: Account, event: object): Call {
  const { agentId, clientToken } = authOf(account)
  const data = Buffer.from(JSON.stringify({ ...event, agentId }))
  const message = { data: data.toString('base64'), attributes: {}, messageId: randomUUID() }
  const headers = { ...json, 'x-goog-signature': hmac('sha512', clientToken, data, 'base64') }
  return { method: 'POST', url: account.ingressUrl ?? '', headers, body: JSON.stringify({ message }) }
}

/** A new id for a message of a person, with which the customer may mark it read. */
function newMessageId(account: Account, context: EmulatorContext): string {
  const id = randomUUID()
  context.recordId(account, id)
  return id
}

function timeOf(context: EmulatorContext): string {
  return new Date(context.now()).toISOString()
}

function tapContent({ label, postback, part }: Tap) {
  return { postbackData: postback, text: label, type: isRecord(part) && part.reply ? 'REPLY' : 'ACTION' }
}

function fileOf({ url, type, name }: Extract<UserAct, { kind: 'media' }>) {
  return { mimeType: type, fileSizeBytes: 1_024, fileUri: url, fileName: name ?? 'file' }
}
