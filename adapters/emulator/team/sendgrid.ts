/** Emulates SendGrid: mail over its v3 API. */
import { isRecord, parseJson } from '../../../core/json.js'
import type { Account, EmulatedProvider, EmulatorAnswer } from '../contract.js'
import { anything, list, number, object, type Shape, text } from '../shape.js'
import { bearer, safeEqual } from '../signature.js'
import { mailAddress, receiver } from './receiver.js'

const keyOf = (account: Account) => String(account.auth.apiKey)

/** `field` is the path in the request. */
function failure(status: number, message: string, field: string | null = null): EmulatorAnswer {
  return { status, body: { errors: [{ message, field, help: null }] } }
}

const unauthorized = failure(401, 'The provided authorization grant is invalid, expired, or revoked')

/** Headers that the request sets by other members. */
const reservedHeaders = new Set(
  'x-sg-id x-sg-eid received dkim-signature content-type content-transfer-encoding to from subject reply-to cc bcc'.split(
    ' ',
  ),
)
const recipientsMax = 1_000

const person = object({ email: text({ form: mailAddress }) }, { name: text({ min: 0 }) })
const people = list(person, { min: 1, max: recipientsMax })
const headers: Shape = (value, path) => {
  if (!isRecord(value)) return `${path} is not an object`
  const reserved = Object.keys(value).find((name) => reservedHeaders.has(name.toLowerCase()))
  return reserved === undefined ? undefined : `${path}.${reserved} is a header that cannot be set`
}
const settings = { custom_args: anything, send_at: number({ whole: true }), headers }
const mail = object(
  {
    personalizations: list(
      object({ to: people }, { cc: people, bcc: people, subject: text(), substitutions: anything, ...settings }),
      { min: 1, max: recipientsMax },
    ),
    from: person,
    content: list(object({ type: text(), value: text() }), { min: 1 }),
  },
  {
    subject: text(),
    reply_to: person,
    reply_to_list: people,
    attachments: list(anything),
    template_id: text(),
    categories: list(text({ max: 255 }), { max: 10 }),
    batch_id: text(),
    asm: anything,
    ip_pool_name: text(),
    mail_settings: anything,
    tracking_settings: anything,
    ...settings,
  },
  (value, path) => {
    const isSubjectless = ({ subject }: { subject?: unknown }) => subject === undefined
    const parts = value.personalizations as { subject?: unknown }[]
    return value.subject === undefined && parts.some(isSubjectless) ? `${path || 'mail'}.subject is missing` : undefined
  },
)

export const sendgrid: EmulatedProvider = {
  ...receiver,
  name: 'sendgrid',
  prefix: 'sendgrid',
  address: (text) => text.trim().toLowerCase(),

  credentials(mint, { httpUrl }) {
    return { apiKey: `SG.${mint('id', 22)}.${mint('secret', 43)}`, apiUrl: `${httpUrl}/sendgrid` }
  },

  read(request, context) {
    if (request.path !== '/v3/mail/send' || request.method !== 'POST') return failure(404, 'not found')
    const key = bearer(request.header('authorization'))
    const account = context.accounts('sendgrid').find((each) => safeEqual(key, keyOf(each)))
    if (!account) return unauthorized
    if (!request.header('content-type').startsWith('application/json')) {
      return failure(415, 'Content-Type should be application/json.')
    }
    const body = parseJson(request.body)
    if (!isRecord(body)) return failure(400, 'Bad Request')
    const problem = mail(body, '')
    if (problem !== undefined) return failure(400, problem, problem.split(' ')[0])
    const [{ to }] = body.personalizations as [{ to: readonly { email: string }[] }]
    const address = sendgrid.address(to[0]!.email)
    return {
      account,
      address,
      kind: 'message',
      async perform(accept) {
        const id = context.newId(11)
        await accept(id, body, [])
        return { status: 202, headers: { 'x-message-id': id } }
      },
    }
  },

  refusal(status, retryAfter) {
    if (status === 401) return unauthorized
    const wait = retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } }
    return { ...failure(status, status === 429 ? 'too many requests' : 'internal server error'), ...wait }
  },
}
