/** Emulates Slack: chat.postMessage, the Events API, and interactivity as a form. */
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
import type { JsonObject } from '../shape.js'
import { bearer, hmac, safeEqual } from '../signature.js'
import { fileOf, filesPath, readFile } from './files.js'
import { blocksShape, isTooLong, postMessage } from './schema.js'

interface Auth {
  readonly botToken: string
  readonly signingSecret: string
}
const authOf = (account: Account) => account.auth as unknown as Auth
const textMax = 40_000

/** Slack answers errors with status 200. */
function failure(error: string, detail?: string): EmulatorAnswer {
  const messages = detail === undefined ? {} : { response_metadata: { messages: [`[ERROR] ${detail}`] } }
  return { status: 200, body: { ok: false, error, ...messages } }
}

const refusals: Readonly<Record<RecipientStatus, EmulatorAnswer | undefined>> = {
  well: undefined,
  unreachable: failure('channel_not_found'),
  blocked: failure('restricted_action'),
  optedOut: failure('messages_tab_disabled'),
}

export const slack: EmulatedProvider = {
  name: 'slack',
  prefix: 'slack',
  retryAfterMs: limits.retryAfterMs.slack,
  retryHeaders: (retries) => ({ 'x-slack-retry-num': String(retries), 'x-slack-retry-reason': 'http_error' }),
  refusesRetry: ({ header }) => header('x-slack-no-retry') === '1',
  timeoutMs: limits.webhookTimeoutMs.slack,
  /** The ids of a person and of the conversation with them differ in the first letter only. */
  address: (text) => text.trim().toUpperCase().replace(/^D/, 'U'),

  credentials(mint, { httpUrl }) {
    return {
      botToken: `xoxb-${mint('team', 12, '0123456789')}-${mint('bot', 12, '0123456789')}-${mint('token', 24)}`,
      signingSecret: mint('signingSecret', 32, '0123456789abcdef'),
      apiUrl: `${httpUrl}/slack/api`,
    }
  },

  read(request, context) {
    if (request.path.startsWith(filesPath)) return readFile(request, context)
    if (request.path !== '/api/chat.postMessage' || request.method !== 'POST') return failure('unknown_method')
    const token = bearer(request.header('authorization'))
    if (token === '') return failure('not_authed')
    const account = context.accounts('slack').find((each) => safeEqual(token, authOf(each).botToken))
    if (!account) return failure('invalid_auth')
    const body = bodyOf(request)
    if (!body) return failure('invalid_json')
    const refusal = bodyError(body)
    if (refusal) return refusal
    const address = slack.address(body.channel as string)
    const perform = (accept: Accept) => acceptMessage(body, account, address, context, accept)
    return { account, address, kind: 'message', perform }
  },

  refusal(status, retryAfter) {
    if (status === 401) return failure('invalid_auth')
    const isLimited = status === 429
    const wait = isLimited || retryAfter !== undefined ? { headers: { 'retry-after': String(retryAfter ?? 1) } } : {}
    return { status, ...wait, body: { ok: false, error: isLimited ? 'ratelimited' : 'internal_error' } }
  },

  receiptCallback: () => undefined,

  callbacksFor(account, address, userAct, context) {
    const message = (content: object) => [event(account, address, content, context)]
    switch (userAct.kind) {
      case 'text':
        return message({ text: userAct.text })
      case 'stop':
        return message({ text: 'STOP' })
      case 'tap':
        return [interaction(account, address, userAct, context)]
      case 'media':
        return message({ subtype: 'file_share', text: '', files: [fileOf(account, address, userAct, context)] })
      default:
        return `Slack does not report ${userAct.kind}.`
    }
  },

  taps(body) {
    const { blocks } = isRecord(body) ? body : {}
    return Array.isArray(blocks) ? blocks.flatMap(tapsOf) : []
  },

  greeting(account, context) {
    const challenge = context.newId(20)
    const body = JSON.stringify({ token: 'emulated', challenge, type: 'url_verification' })
    return { call: signedCall(account, 'application/json', body, context), answer: challenge }
  },
}

function bodyOf(request: EmulatorRequest): JsonObject | undefined {
  const isForm = request.header('content-type').startsWith('application/x-www-form-urlencoded')
  const body = isForm ? Object.fromEntries(new URLSearchParams(request.body.toString())) : parseJson(request.body)
  if (!isRecord(body)) return undefined
  return typeof body.blocks === 'string' ? { ...body, blocks: parseJson(body.blocks) ?? body.blocks } : body
}

function bodyError(body: JsonObject): EmulatorAnswer | undefined {
  const problem = postMessage(body, '')
  if (problem !== undefined) return failure('invalid_arguments', problem)
  const blocks = (body.blocks ?? []) as unknown[]
  const problemInBlocks = blocksShape(blocks, 'blocks')
  if (problemInBlocks !== undefined) return failure('invalid_blocks', problemInBlocks)
  if (isTooLong(blocks)) return failure('msg_blocks_too_long')
  if (!body.text && blocks.length === 0) return failure('no_text')
  return /^[UDC][A-Z0-9]{2,}$/.test(body.channel as string) ? undefined : failure('channel_not_found')
}

async function acceptMessage(
  body: JsonObject,
  account: Account,
  address: string,
  context: EmulatorContext,
  accept: Accept,
): Promise<EmulatorAnswer> {
  const refusal = refusals[context.recipientStatus(account, address)]
  if (refusal) return refusal
  const ts = newTimestamp(context)
  await accept(ts, body, [])
  const text = [...String(body.text ?? '')].slice(0, textMax).join('')
  return { status: 200, body: { ok: true, channel: channelOf(address), ts, message: { type: 'message', text, ts } } }
}

const channelOf = (address: string) => address.replace(/^U/, 'D')

/** Seconds, and six digits that distinguish messages of one second. */
function newTimestamp(context: EmulatorContext): string {
  return `${Math.floor(context.now() / 1_000)}.${String(Number.parseInt(context.newId(3), 16) % 1_000_000).padStart(6, '0')}`
}

function event(account: Account, address: string, content: object, context: EmulatorContext): Call {
  const ts = newTimestamp(context)
  const envelope = { type: 'message', channel: channelOf(address), user: address, ts, event_ts: ts, channel_type: 'im' }
  const body = {
    token: 'emulated',
    team_id: 'TEMULATED',
    api_app_id: 'AEMULATED',
    event: { ...envelope, client_msg_id: context.newId(16), ...content },
    type: 'event_callback',
    event_id: `Ev${context.newId(6).toUpperCase()}`,
    event_time: Math.floor(context.now() / 1_000),
  }
  return signedCall(account, 'application/json', JSON.stringify(body), context)
}

function interaction(
  account: Account,
  address: string,
  { tap, accepted }: Extract<UserAct, { kind: 'tap' }>,
  context: EmulatorContext,
): Call {
  const { action, block_id: blockId } = tap.part as { action: JsonObject; block_id?: string }
  const payload = {
    type: 'block_actions',
    user: { id: address, team_id: 'TEMULATED' },
    api_app_id: 'AEMULATED',
    container: { type: 'message', message_ts: accepted.providerId, channel_id: channelOf(address) },
    trigger_id: context.newId(12),
    team: { id: 'TEMULATED' },
    channel: { id: channelOf(address), name: 'directmessage' },
    message: { type: 'message', ts: accepted.providerId },
    actions: [{ block_id: blockId ?? 'b1', ...action, action_ts: newTimestamp(context) }],
  }
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
  return signedCall(account, 'application/x-www-form-urlencoded', body, context)
}

function signedCall(account: Account, type: string, body: string, context: EmulatorContext) {
  const seconds = String(Math.floor(context.now() / 1_000))
  const headers = {
    'content-type': type,
    'x-slack-request-timestamp': seconds,
    'x-slack-signature': `v0=${hmac('sha256', authOf(account).signingSecret, `v0:${seconds}:${body}`, 'hex')}`,
  }
  return { method: 'POST' as const, url: account.ingressUrl ?? '', headers, body }
}

/** Buttons and menu options, in the order of the message. A button with a link is tappable, too. */
function tapsOf(block: unknown): readonly Tap[] {
  if (!isRecord(block)) return []
  const {
    type,
    elements = [],
    accessory,
    actions = [],
    block_id,
  } = block as JsonObject & Readonly<Record<string, readonly JsonObject[]>>
  if ((type as unknown) === 'carousel') return elements.flatMap(tapsOf)
  const innerElements =
    (type as unknown) === 'actions'
      ? elements
      : (type as unknown) === 'card'
        ? actions
        : accessory
          ? [accessory as unknown as JsonObject]
          : []
  return innerElements.flatMap((element) => tapsOfElement(element, block_id as unknown as string | undefined))
}

function tapsOfElement(element: JsonObject, blockId: string | undefined): readonly Tap[] {
  const { type, action_id = 'a1', text, value, options, option_groups: groups } = element
  const elementInfo = { type, action_id }
  const at = blockId === undefined ? {} : { block_id: blockId }
  if (type === 'button') {
    const label = String((text as JsonObject).text)
    return [{ label, postback: String(value ?? ''), part: { ...at, action: { ...elementInfo, text, value } } }]
  }
  const allOptions = [
    ...((options ?? []) as JsonObject[]),
    ...((groups ?? []) as { options: JsonObject[] }[]).flatMap((each) => each.options),
  ]
  return allOptions.map((option) => ({
    label: String((option.text as JsonObject).text),
    postback: String(option.value),
    row: true,
    part: { ...at, action: { ...elementInfo, selected_option: option } },
  }))
}
