/** Slack: chat.postMessage, the Events API, and interactivity as a form. */
import { isRecord, parseJson } from '../../../core/json.js'
import { providerEmulator as limits } from '../../../core/limits.js'
import type { Accept, Account, Call, Deed, Desk, Standing, Tap, Wire, WireAnswer, WireRequest } from '../contract.js'
import type { Loose } from '../shape.js'
import { bearer, mac, same } from '../sign.js'
import { fileOf, fileRead, filesPath } from './slackfiles.js'
import { blocksShape, isTooLong, postMessage } from './slackshapes.js'

interface Auth {
  readonly botToken: string
  readonly signingSecret: string
}
const authOf = (account: Account) => account.auth as unknown as Auth
const textMax = 40_000

/** Whatever is wrong with a call, its status is 200. */
function failure(error: string, detail?: string): WireAnswer {
  const messages = detail === undefined ? {} : { response_metadata: { messages: [`[ERROR] ${detail}`] } }
  return { status: 200, body: { ok: false, error, ...messages } }
}

const refusals: Readonly<Record<Standing, WireAnswer | undefined>> = {
  well: undefined,
  unreachable: failure('channel_not_found'),
  blocked: failure('restricted_action'),
  optedOut: failure('messages_tab_disabled'),
}

export const slack: Wire = {
  name: 'slack',
  prefix: 'slack',
  retryAfterMs: limits.retryAfterMs.slack,
  patienceMs: limits.patienceMs.slack,
  /** A person and the conversation with them differ in the first letter alone. */
  address: (given) => given.trim().toUpperCase().replace(/^D/, 'U'),

  credentials(mint, { httpUrl }) {
    return {
      botToken: `xoxb-${mint('team', 12, '0123456789')}-${mint('bot', 12, '0123456789')}-${mint('token', 24)}`,
      signingSecret: mint('signingSecret', 32, '0123456789abcdef'),
      apiUrl: `${httpUrl}/slack/api`,
    }
  },

  read(request, desk) {
    if (request.path.startsWith(filesPath)) return fileRead(request, desk)
    if (request.path !== '/api/chat.postMessage' || request.method !== 'POST') return failure('unknown_method')
    const given = bearer(request.header('authorization'))
    if (given === '') return failure('not_authed')
    const account = desk.accounts('slack').find((each) => same(given, authOf(each).botToken))
    if (!account) return failure('invalid_auth')
    const body = bodyOf(request)
    if (!body) return failure('invalid_json')
    const refusal = wrongIn(body)
    if (refusal) return refusal
    const address = slack.address(body.channel as string)
    const perform = (accept: Accept) => sent(body, account, address, desk, accept)
    return { account, address, what: 'message', perform }
  },

  refusal(status, retryAfter) {
    if (status === 401) return failure('invalid_auth')
    const isLimited = status === 429
    const wait = isLimited || retryAfter !== undefined ? { headers: { 'retry-after': String(retryAfter ?? 1) } } : {}
    return { status, ...wait, body: { ok: false, error: isLimited ? 'ratelimited' : 'internal_error' } }
  },

  tell: () => undefined,

  deed(account, address, deed, desk) {
    const message = (content: object) => [event(account, address, content, desk)]
    switch (deed.kind) {
      case 'text':
        return message({ text: deed.text })
      case 'stop':
        return message({ text: 'STOP' })
      case 'tap':
        return [interaction(account, address, deed, desk)]
      case 'media':
        return message({ subtype: 'file_share', text: '', files: [fileOf(account, address, deed, desk)] })
      default:
        return `Slack tells nothing of ${deed.kind}.`
    }
  },

  taps(body) {
    const { blocks } = isRecord(body) ? body : {}
    return Array.isArray(blocks) ? blocks.flatMap(tapsOf) : []
  },

  greeting(account, desk) {
    const challenge = desk.newId(20)
    const body = JSON.stringify({ token: 'emulated', challenge, type: 'url_verification' })
    return { call: signed(account, 'application/json', body, desk), answer: challenge }
  },
}

function bodyOf(request: WireRequest): Loose | undefined {
  const isForm = request.header('content-type').startsWith('application/x-www-form-urlencoded')
  const body = isForm ? Object.fromEntries(new URLSearchParams(request.body.toString())) : parseJson(request.body)
  if (!isRecord(body)) return undefined
  return typeof body.blocks === 'string' ? { ...body, blocks: parseJson(body.blocks) ?? body.blocks } : body
}

function wrongIn(body: Loose): WireAnswer | undefined {
  const problem = postMessage(body, '')
  if (problem !== undefined) return failure('invalid_arguments', problem)
  const blocks = (body.blocks ?? []) as unknown[]
  const wrong = blocksShape(blocks, 'blocks')
  if (wrong !== undefined) return failure('invalid_blocks', wrong)
  if (isTooLong(blocks)) return failure('msg_blocks_too_long')
  if (!body.text && blocks.length === 0) return failure('no_text')
  return /^[UDC][A-Z0-9]{2,}$/.test(body.channel as string) ? undefined : failure('channel_not_found')
}

async function sent(body: Loose, account: Account, address: string, desk: Desk, accept: Accept): Promise<WireAnswer> {
  const refusal = refusals[desk.standing(account, address)]
  if (refusal) return refusal
  const ts = stamp(desk)
  await accept(ts, body, [])
  const text = [...String(body.text ?? '')].slice(0, textMax).join('')
  return { status: 200, body: { ok: true, channel: channelOf(address), ts, message: { type: 'message', text, ts } } }
}

const channelOf = (address: string) => address.replace(/^U/, 'D')

/** Seconds, and six digits by which messages of one second differ. */
function stamp(desk: Desk): string {
  return `${Math.floor(desk.now() / 1_000)}.${String(Number.parseInt(desk.newId(3), 16) % 1_000_000).padStart(6, '0')}`
}

function event(account: Account, address: string, content: object, desk: Desk): Call {
  const ts = stamp(desk)
  const about = { type: 'message', channel: channelOf(address), user: address, ts, event_ts: ts, channel_type: 'im' }
  const body = {
    token: 'emulated',
    team_id: 'TEMULATED',
    api_app_id: 'AEMULATED',
    event: { ...about, client_msg_id: desk.newId(16), ...content },
    type: 'event_callback',
    event_id: `Ev${desk.newId(6).toUpperCase()}`,
    event_time: Math.floor(desk.now() / 1_000),
  }
  return signed(account, 'application/json', JSON.stringify(body), desk)
}

function interaction(
  account: Account,
  address: string,
  { tap, kept }: Extract<Deed, { kind: 'tap' }>,
  desk: Desk,
): Call {
  const { action, block_id: blockId } = tap.part as { action: Loose; block_id?: string }
  const payload = {
    type: 'block_actions',
    user: { id: address, team_id: 'TEMULATED' },
    api_app_id: 'AEMULATED',
    container: { type: 'message', message_ts: kept.providerId, channel_id: channelOf(address) },
    trigger_id: desk.newId(12),
    team: { id: 'TEMULATED' },
    channel: { id: channelOf(address), name: 'directmessage' },
    message: { type: 'message', ts: kept.providerId },
    actions: [{ block_id: blockId ?? 'b1', ...action, action_ts: stamp(desk) }],
  }
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
  return signed(account, 'application/x-www-form-urlencoded', body, desk)
}

function signed(account: Account, type: string, body: string, desk: Desk) {
  const seconds = String(Math.floor(desk.now() / 1_000))
  const headers = {
    'content-type': type,
    'x-slack-request-timestamp': seconds,
    'x-slack-signature': `v0=${mac('sha256', authOf(account).signingSecret, `v0:${seconds}:${body}`, 'hex')}`,
  }
  return { method: 'POST' as const, url: account.ingressUrl ?? '', headers, body }
}

/** Buttons and the options of menus, in the order of the message. A button that opens an address is tapped like any other. */
function tapsOf(block: unknown): readonly Tap[] {
  if (!isRecord(block)) return []
  const {
    type,
    elements = [],
    accessory,
    actions = [],
    block_id,
  } = block as Loose & Readonly<Record<string, readonly Loose[]>>
  if ((type as unknown) === 'carousel') return elements.flatMap(tapsOf)
  const inside =
    (type as unknown) === 'actions'
      ? elements
      : (type as unknown) === 'card'
        ? actions
        : accessory
          ? [accessory as unknown as Loose]
          : []
  return inside.flatMap((element) => tapsOfElement(element, block_id as unknown as string | undefined))
}

function tapsOfElement(element: Loose, blockId: string | undefined): readonly Tap[] {
  const { type, action_id = 'a1', text, value, options, option_groups: groups } = element
  const about = { type, action_id }
  const at = blockId === undefined ? {} : { block_id: blockId }
  if (type === 'button') {
    const label = String((text as Loose).text)
    return [{ label, postback: String(value ?? ''), part: { ...at, action: { ...about, text, value } } }]
  }
  const offered = [
    ...((options ?? []) as Loose[]),
    ...((groups ?? []) as { options: Loose[] }[]).flatMap((each) => each.options),
  ]
  return offered.map((option) => ({
    label: String((option.text as Loose).text),
    postback: String(option.value),
    row: true,
    part: { ...at, action: { ...about, selected_option: option } },
  }))
}
