/** Emulates Twilio's Messages resource: forms in, signed receipts and replies out. */
import { providerEmulator as limits } from '../../../core/limits/index.js'
import type {
  Accept,
  AcceptedMessage,
  Account,
  Call,
  EmulatedProvider,
  EmulatorAnswer,
  EmulatorContext,
  EmulatorRequest,
  ParsedCall,
  RecipientStatus,
} from '../contract.js'
import { fileCall } from '../files.js'
import { splitSms } from '../septets.js'
import { hmac, safeEqual } from '../signature.js'

const bodyChars = 1_600
const mediaMax = 10
const validityMaxSeconds = 14_400
const pageSize = 50
const pageMax = 1_000
/** All parameters of the resource. The emulator refuses a misspelt name, although Twilio ignores it. */
const knownParameters = new Set(
  'To From MessagingServiceSid Body MediaUrl StatusCallback ValidityPeriod SmartEncoded SendAt ScheduleType ProvideFeedback ContentSid ContentVariables'.split(
    ' ',
  ),
)

interface Auth {
  readonly accountSid: string
  readonly authToken: string
  readonly from: string
}
const authOf = (account: Account) => account.auth as unknown as Auth
type Form = readonly (readonly [string, string])[]

function failure(status: number, code: number, message: string, headers = {}): EmulatorAnswer {
  return { status, headers, body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status } }
}

const notFound = failure(404, 20_404, 'The requested resource was not found')
const unauthenticated = failure(401, 20_003, 'Authenticate')

/** How an unreachable number fails: at once, or later in a receipt. */
const failures: Readonly<Record<RecipientStatus, { answer?: EmulatorAnswer; code?: number }>> = {
  well: {},
  unreachable: { code: 30_005 },
  blocked: { code: 30_007 },
  optedOut: { answer: failure(400, 21_610, 'Attempt to send to unsubscribed recipient') },
}

export const twilio: EmulatedProvider = {
  name: 'twilio',
  prefix: 'twilio',
  // Twilio logs a failed webhook in the account's console and does not retry it.
  retryAfterMs: [],
  timeoutMs: limits.webhookTimeoutMs.usual,
  address: (text) => `+${text.replace(/\D/g, '')}`,

  credentials(mint, { httpUrl }) {
    return {
      accountSid: `AC${mint('accountSid', 32, '0123456789abcdef')}`,
      authToken: mint('authToken', 32, '0123456789abcdef'),
      from: `+1555${mint('from', 7, '0123456789')}`,
      apiUrl: `${httpUrl}/twilio`,
    }
  },

  read(request, context) {
    const [, sid] = /^\/2010-04-01\/Accounts\/([^/]+)\/Messages\.json$/.exec(request.path) ?? []
    const account = context.accounts('twilio').find((each) => authOf(each).accountSid === sid)
    if (request.method === 'GET') return sid ? listMessages(request, account, context) : readFile(request, context)
    if (!sid || request.method !== 'POST') return notFound
    if (!account || !isAuthenticated(request, account)) return unauthenticated
    if (!request.header('content-type').startsWith('application/x-www-form-urlencoded')) {
      return failure(415, 20_415, 'The content type is not a form')
    }
    const form = [...new URLSearchParams(request.body.toString())]
    const refusal = formError(form, account)
    if (refusal) return refusal
    const address = fieldOf(form, 'To')
    return {
      account,
      address,
      kind: 'message',
      perform: (accept) => acceptMessage(form, account, address, context, accept),
    }
  },

  refusal: (status, retryAfter) =>
    failure(
      status,
      { 401: 20_003, 429: 20_429 }[status] ?? 20_500,
      'A fault of the emulator refuses this',
      retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    ),

  receiptCallback(account, accepted, receipt) {
    const { StatusCallback: url, To, From } = accepted.body as Readonly<Record<string, string>>
    const status = receipt.state === 'failed' ? 'undelivered' : receipt.state
    return url === undefined
      ? undefined
      : signedCall(account, url, [
          ['MessageSid', accepted.providerId],
          ['SmsSid', accepted.providerId],
          ['MessageStatus', status],
          ['SmsStatus', status],
          ['To', To ?? ''],
          ['From', From ?? authOf(account).from],
          ['AccountSid', authOf(account).accountSid],
          ['ApiVersion', '2010-04-01'],
          ...(receipt.code === undefined ? [] : [['ErrorCode', String(receipt.code)] as const]),
        ])
  },

  callbacksFor(account, address, userAct, context) {
    switch (userAct.kind) {
      case 'text':
        return [inboundCall(account, address, userAct.text, context)]
      // Twilio records the opt-out itself and forwards the word, too.
      case 'stop':
      case 'optOut':
        return [inboundCall(account, address, 'STOP', context)]
      case 'optIn':
        return [inboundCall(account, address, 'START', context)]
      case 'media':
        return [inboundCall(account, address, '', context, [userAct])]
      default:
        return `There is no ${userAct.kind} on sms.`
    }
  },

  taps: () => [],
}

function isAuthenticated(request: EmulatorRequest, account: Account): boolean {
  const { accountSid, authToken } = authOf(account)
  const expected = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`
  return safeEqual(request.header('authorization'), expected)
}

/** Messages to a number, newest first; filtered by sender when asked for. */
function listMessages(request: EmulatorRequest, account: Account | undefined, context: EmulatorContext): ParsedCall {
  if (!account || !isAuthenticated(request, account)) return unauthenticated
  const [to, from] = [request.query.get('To') ?? '', request.query.get('From')]
  const size = Number(request.query.get('PageSize') ?? pageSize)
  if (!Number.isInteger(size) || size < 1 || size > pageMax) return failure(400, 20_006, 'The page size is not valid')
  const ofSender = ({ body }: AcceptedMessage) => from === null || (body as SentForm).From === from
  const accepted = context.messagesFor(account, twilio.address(to)).filter(ofSender).slice(-size).reverse()
  const messages = accepted.map(({ providerId, body, at }) =>
    messageResource(providerId, body as SentForm, account, at),
  )
  return { status: 200, body: { messages, page: 0, page_size: size, next_page_uri: null } }
}

/** Media of people is a resource below the message that it came with. */
function readFile(request: EmulatorRequest, context: EmulatorContext): ParsedCall {
  const [, sid, id = ''] = /^\/2010-04-01\/Accounts\/(AC\w+)\/Messages\/MM\w+\/Media\/(ME\w+)$/.exec(request.path) ?? []
  const account = context.accounts('twilio').find((each) => authOf(each).accountSid === sid)
  if (sid === undefined) return notFound
  if (!account || !isAuthenticated(request, account)) return unauthenticated
  const file = context.fileOf(account, id)
  return file ? fileCall(account, file) : notFound
}

function fieldOf(form: Form, name: string): string {
  return form.find(([each]) => each === name)?.[1] ?? ''
}

function formError(form: Form, account: Account): EmulatorAnswer | undefined {
  const has = (name: string) => form.some(([each]) => each === name)
  const value = (name: string) => fieldOf(form, name)
  const unknown = form.find(([name]) => !knownParameters.has(name))
  if (unknown) return failure(400, 20_001, `Unknown parameter ${unknown[0]}`)
  if (!has('To')) return failure(400, 21_604, "A 'To' phone number is required")
  if (!/^\+[1-9]\d{6,14}$/.test(value('To'))) return failure(400, 21_211, "Invalid 'To' Phone Number")
  if (has('From') === has('MessagingServiceSid')) return failure(400, 21_603, "A 'From' phone number is required")
  if (has('From') && value('From') !== authOf(account).from) return failure(400, 21_606, "The 'From' is not yours")
  if (has('MessagingServiceSid') && !/^MG[0-9a-f]{32}$/.test(value('MessagingServiceSid'))) {
    return failure(400, 21_705, 'The Messaging Service is not yours')
  }
  const isEmpty = value('Body') === '' && !has('MediaUrl') && !has('ContentSid')
  if (isEmpty || [...value('Body')].length > bodyChars) return failure(400, 14_103, 'The body is empty or too long')
  if (form.filter(([name]) => name === 'MediaUrl').length > mediaMax) return failure(400, 21_623, 'Too many media')
  if (has('StatusCallback') && !/^https?:\/\/\S+$/.test(value('StatusCallback'))) {
    return failure(400, 21_609, "Invalid 'StatusCallback' URL")
  }
  const validity = Number(value('ValidityPeriod') || 1)
  const isValid = Number.isInteger(validity) && validity >= 1 && validity <= validityMaxSeconds
  return isValid ? undefined : failure(400, 21_630, "Invalid 'ValidityPeriod'")
}

async function acceptMessage(
  form: Form,
  account: Account,
  address: string,
  context: EmulatorContext,
  accept: Accept,
): Promise<EmulatorAnswer> {
  const { answer, code } = failures[context.recipientStatus(account, address)]
  if (answer) return answer
  const body = Object.fromEntries(form)
  const isMedia = body.MediaUrl !== undefined
  const sid = `${isMedia ? 'MM' : 'SM'}${context.newId(16)}`
  await accept(sid, body, [{ state: 'sent' }, code === undefined ? { state: 'delivered' } : { state: 'failed', code }])
  return { status: 201, body: messageResource(sid, body, account, context.now()) }
}

type SentForm = Readonly<Record<string, string>>

function messageResource(sid: string, form: SentForm, account: Account, at: number) {
  const { accountSid } = authOf(account)
  return {
    sid,
    account_sid: accountSid,
    status: form.MessagingServiceSid === undefined ? 'queued' : 'accepted',
    num_segments: String(splitSms(form.Body ?? '').parts.length),
    num_media: form.MediaUrl === undefined ? '0' : '1',
    error_code: null,
    error_message: null,
    to: form.To,
    from: form.From ?? null,
    messaging_service_sid: form.MessagingServiceSid ?? null,
    body: form.Body ?? '',
    direction: 'outbound-api',
    date_created: new Date(at).toUTCString(),
    uri: `/2010-04-01/Accounts/${accountSid}/Messages/${sid}.json`,
  }
}

const optOutWords = ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT']
const optInWords = ['START', 'YES', 'UNSTOP']

function inboundCall(
  account: Account,
  address: string,
  text: string,
  context: EmulatorContext,
  media: readonly Media[] = [],
): Call {
  const keyword = text.trim().toUpperCase()
  if (optOutWords.includes(keyword)) context.setOptedOut(account, address, true)
  if (optInWords.includes(keyword)) context.setOptedOut(account, address, false)
  const type = optOutWords.includes(keyword)
    ? 'STOP'
    : keyword === 'START'
      ? 'START'
      : keyword === 'HELP'
        ? 'HELP'
        : undefined
  const sid = `${media.length > 0 ? 'MM' : 'SM'}${context.newId(16)}`
  return signedCall(account, account.ingressUrl ?? '', [
    ['MessageSid', sid],
    ['SmsSid', sid],
    ['SmsMessageSid', sid],
    ['AccountSid', authOf(account).accountSid],
    ['From', address],
    ['To', authOf(account).from],
    ['Body', text],
    ['NumMedia', String(media.length)],
    ['NumSegments', String(splitSms(text).parts.length)],
    ['ApiVersion', '2010-04-01'],
    ...(type === undefined ? [] : [['OptOutType', type] as const]),
    ...media.flatMap(
      (each, index): Form => [
        [`MediaUrl${index}`, mediaUrlFor(account, address, sid, each, context)],
        [`MediaContentType${index}`, each.type],
      ],
    ),
  ])
}

/** The URL of the media resource. */
function mediaUrlFor(
  account: Account,
  address: string,
  sid: string,
  { url, type }: Media,
  context: EmulatorContext,
): string {
  const id = `ME${context.newId(16)}`
  context.saveFile(account, id, { address, url, type })
  return `${account.auth.apiUrl}/2010-04-01/Accounts/${authOf(account).accountSid}/Messages/${sid}/Media/${id}`
}

interface Media {
  readonly url: string
  readonly type: string
}

/** The signature covers the URL and all parameters, sorted by name and concatenated. */
function signedCall(account: Account, url: string, form: Form): Call {
  const sorted = [...form].sort(([a], [b]) => (a < b ? -1 : 1))
  const text = url + sorted.map(([name, value]) => name + value).join('')
  const headers = {
    'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
    'x-twilio-signature': hmac('sha1', authOf(account).authToken, text, 'base64'),
  }
  const body = new URLSearchParams(form.map(([name, value]): [string, string] => [name, value])).toString()
  return { method: 'POST', url, headers, body }
}
