/** Calls and answers of Twilio, for the kit and for the tests beside it. Its own SDK signs them. */
import { createHash } from 'node:crypto'
import twilio from 'twilio'
import type { Samples } from '../../../../adapters/kit/suite/samples.js'
import type { TwilioAuth } from '../../../../adapters/sms/twilio/descriptor.js'
import type { Item } from '../../../../core/channel/adapter.js'
import type { ReportedContent } from '../../../../core/channel/providermedia.js'

export const auth: TwilioAuth = {
  accountSid: 'AC00000000000000000000000000000001',
  authToken: 'an auth token of the account',
  from: '+15550199',
}

/** Where Twilio keeps what people sent. */
export const pictureAt = `https://api.twilio.com/2010-04-01/Accounts/${auth.accountSid}/Messages/MM1/Media/ME1`

export const address = '+15550100'
export const ingressUrl = 'https://gateway.example/v4/ingress/cb_1'

const sidOf = (index: number) => `SM${String(index).padStart(32, '0')}`
const sid = sidOf(1)

const inboundOf = (id: string) => ({
  ToCountry: 'US',
  SmsMessageSid: id,
  NumMedia: '0',
  SmsSid: id,
  SmsStatus: 'received',
  To: auth.from!,
  NumSegments: '1',
  MessageSid: id,
  AccountSid: auth.accountSid,
  From: address,
  ApiVersion: '2010-04-01',
})
const callbackOf = (id: string) => ({
  SmsSid: id,
  MessageSid: id,
  AccountSid: auth.accountSid,
  From: auth.from!,
  To: address,
  ApiVersion: '2010-04-01',
})
const callback = callbackOf(sid)

type Fields = Readonly<Record<string, string>>

export function formBody(fields: Fields): string {
  return new URLSearchParams(fields).toString()
}

/** What the SDK expects of a call: of a form its fields, of anything else a digest in the address. */
export function signatureFor(url: string, body: Uint8Array | string, authToken: string): Fields {
  const isJson = url.includes('bodySHA256')
  const fields = isJson ? {} : fieldsIn(Buffer.from(body).toString())
  return { 'x-twilio-signature': twilio.getExpectedTwilioSignature(authToken, url, fields) }
}

export function fieldsIn(body: string): Record<string, string | string[]> {
  // A question mark at the beginning would be taken for the sign of a query, which a body has none of.
  const form = new URLSearchParams(`?${body}`)
  return Object.fromEntries(
    [...new Set(form.keys())].map((name) => {
      const values = form.getAll(name)
      return [name, values.length === 1 ? values[0]! : values]
    }),
  )
}

export function digestQuery(body: string): string {
  return `bodySHA256=${createHash('sha256').update(body).digest('hex')}`
}

interface Sample {
  readonly fields: Fields
  readonly items: readonly Item[]
}

/** What a person sends, and the consent that it is beside what it says. */
const inboundSample =
  (fields: Fields, content: ReportedContent, system?: 'optOut' | 'optIn') =>
  (id: string): Sample => ({
    fields: { ...inboundOf(id), ...fields },
    items: [
      { id, address, inbound: { kind: 'content', content } },
      ...(system ? [{ id: `${id} ${system}`, address, inbound: { kind: 'system', system } } as const] : []),
    ],
  })

/** What became of a message; no state: nothing that anybody is told. */
const statusSample =
  (fields: Fields, state?: 'sent' | 'delivered' | 'read' | 'failed', why: { reason?: string; detail?: string } = {}) =>
  (id: string): Sample => ({
    fields: { ...callbackOf(id), ...fields },
    items: state
      ? [{ id: `${id} ${state}`, address, inbound: { kind: 'receipt', receipt: { providerId: id, state, ...why } } }]
      : [],
  })

const made: Readonly<Record<string, (id: string) => Sample>> = {
  'a text': inboundSample({ Body: 'Hi & bye = 100% ☺' }, { text: 'Hi & bye = 100% ☺' }),
  'a picture': inboundSample(
    {
      Body: '',
      NumMedia: '2',
      MediaUrl0: pictureAt,
      MediaContentType0: 'image/jpeg',
      MediaUrl1: 'https://pictures.example/ME2',
    },
    { media: [{ mediaRef: pictureAt, type: 'image/jpeg' }, { url: 'https://pictures.example/ME2' }] },
  ),
  'a STOP that Twilio has acted upon': inboundSample({ Body: ' Stop. ', OptOutType: 'STOP' }, { text: ' Stop. ' }),
  'a keyword of the account to stop': inboundSample({ Body: 'ARRET', OptOutType: 'STOP' }, { text: 'ARRET' }, 'optOut'),
  'a START that Twilio has acted upon': inboundSample({ Body: 'start', OptOutType: 'START' }, { text: 'start' }),
  'a keyword of the account to begin again': inboundSample(
    { Body: 'YES', OptOutType: 'START' },
    { text: 'YES' },
    'optIn',
  ),
  'a HELP that Twilio has answered': inboundSample({ Body: 'HELP', OptOutType: 'HELP' }, { text: 'HELP' }),
  queued: statusSample({ MessageStatus: 'queued', SmsStatus: 'queued' }),
  sending: statusSample({ MessageStatus: 'sending' }),
  'delivered in part': statusSample({ MessageStatus: 'partially_delivered' }),
  sent: statusSample({ MessageStatus: 'sent', SmsStatus: 'sent' }, 'sent'),
  delivered: statusSample({ MessageStatus: 'delivered', RawDlrDoneDate: '2611201207' }, 'delivered'),
  read: statusSample({ MessageStatus: 'read' }, 'read'),
  undelivered: statusSample({ MessageStatus: 'undelivered', ErrorCode: '30005' }, 'failed', {
    reason: 'unknownRecipient',
    detail: 'The phone is not known.',
  }),
  'failed for a reason of its own': statusSample({ MessageStatus: 'failed', ErrorCode: '39999' }, 'failed', {
    reason: 'sendFailed',
    detail: 'Twilio gives the error 39999.',
  }),
  'failed without a reason': statusSample({ MessageStatus: 'failed' }, 'failed', { reason: 'sendFailed' }),
  canceled: statusSample({ MessageStatus: 'canceled' }, 'failed', { reason: 'canceled' }),
}

/** Every kind of call, each about a message of its own, and what it comes to. */
export const forms: Readonly<Record<string, Sample>> = Object.fromEntries(
  Object.entries(made).map(([name, make], index) => [name, make(sidOf(index + 2))]),
)

const failure = (status: number, code: number) => ({
  status,
  body: { code, message: 'words of Twilio', more_info: 'https://www.twilio.com/docs/errors', status },
})

const jsonBody = JSON.stringify({ ...callback, MessageStatus: 'delivered' })

export const twilioSamples: Samples<TwilioAuth> = {
  auth,
  otherAuths: [
    {
      accountSid: auth.accountSid,
      authToken: 'another auth token',
      messagingServiceSid: 'MG00000000000000000000000000000001',
      apiUrl: 'https://twilio.example',
    },
  ],
  invalidAuths: [
    { auth: { ...auth, accountSid: 'SK00000000000000000000000000000001' }, field: 'accountSid' },
    { auth: { ...auth, messagingServiceSid: 'PN00000000000000000000000000000001' }, field: 'messagingServiceSid' },
  ],
  address,
  oneByOne: true,
  sign: ({ url, body }, { authToken }) => signatureFor(url, body, authToken),
  calls: [
    ...Object.entries(forms).map(([name, { fields, items }]) => ({
      name,
      body: formBody(fields),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      becomes: { kind: 'items', items } as Samples['calls'][number]['becomes'],
    })),
    {
      name: 'a receipt in JSON',
      query: digestQuery(jsonBody),
      body: jsonBody,
      becomes: {
        kind: 'items',
        items: [
          {
            id: `${sid} delivered`,
            address,
            inbound: { kind: 'receipt', receipt: { providerId: sid, state: 'delivered' } },
          },
        ],
      },
    },
    {
      name: 'a status that nobody knows',
      body: formBody({ ...callback, MessageStatus: 'pondered' }),
      becomes: { kind: 'items', items: [{ problem: true }] },
    },
  ],
  media: [
    {
      name: 'a picture',
      mediaRef: pictureAt,
      becomes: {
        kind: 'at',
        url: pictureAt,
        headers: { authorization: `Basic ${Buffer.from(`${auth.accountSid}:${auth.authToken}`).toString('base64')}` },
      },
    },
    { name: 'a picture elsewhere', mediaRef: 'https://pictures.example/ME2', becomes: { kind: 'refused' } },
    { name: 'a picture without TLS', mediaRef: pictureAt.replace('https', 'http'), becomes: { kind: 'refused' } },
  ],
  answers: [
    {
      name: 'taken',
      answer: { status: 201, body: { sid, status: 'queued', num_segments: '1', error_code: null } },
      becomes: { kind: 'sent', providerId: sid },
    },
    {
      name: 'taken by a messaging service',
      answer: { status: 201, body: { sid, status: 'accepted', num_segments: '0', error_code: null } },
      becomes: { kind: 'sent', providerId: sid },
    },
    {
      name: 'taken, and failed at once',
      answer: { status: 201, body: { sid, status: 'failed', error_code: 30002 } },
      becomes: { kind: 'refused', retry: 'otherChannel', needsOperator: true },
    },
    {
      name: 'taken, and failed at once for the country of the person',
      answer: { status: 201, body: { sid, status: 'failed', error_code: 30034 } },
      becomes: { kind: 'refused', retry: 'otherChannel', needsOperator: undefined },
    },
    {
      name: 'too many requests',
      answer: failure(429, 20429),
      becomes: { kind: 'refused', reason: 'rateLimited', retry: 'later' },
    },
    {
      name: 'no valid number',
      answer: failure(400, 21211),
      becomes: { kind: 'refused', reason: 'unknownRecipient', retry: 'otherChannel' },
    },
    {
      name: 'no mobile phone',
      answer: failure(400, 21614),
      becomes: { kind: 'refused', reason: 'unknownRecipient', retry: 'otherChannel' },
    },
    {
      name: 'opted out',
      answer: failure(400, 21610),
      becomes: { kind: 'refused', reason: 'optedOut', retry: 'never' },
    },
    {
      name: 'too long',
      answer: failure(400, 14103),
      becomes: { kind: 'refused', reason: 'invalidMessage', retry: 'never' },
    },
    { name: 'queue overflow', answer: failure(400, 30001), becomes: { kind: 'refused', retry: 'later' } },
    { name: 'out of reach', answer: failure(400, 30003), becomes: { kind: 'refused', retry: 'later' } },
    {
      name: 'a landline',
      answer: failure(400, 30006),
      becomes: { kind: 'refused', reason: 'unknownRecipient', retry: 'otherChannel' },
    },
    {
      name: 'filtered',
      answer: failure(400, 30007),
      becomes: { kind: 'refused', reason: 'sendFailed', retry: 'never' },
    },
    { name: 'unknown to the carrier, too', answer: failure(400, 30008), becomes: { kind: 'refused', retry: 'later' } },
    {
      name: 'the window is closed',
      answer: failure(400, 63016),
      becomes: { kind: 'refused', reason: 'windowClosed', retry: 'otherChannel' },
    },
    {
      name: 'a code that nobody knows',
      answer: failure(400, 21999),
      becomes: { kind: 'refused', reason: 'sendFailed', retry: 'otherChannel' },
    },
    {
      name: 'the token is wrong',
      answer: failure(401, 20003),
      becomes: { kind: 'refused', retry: 'otherChannel', needsOperator: true },
    },
    { name: 'down', answer: { status: 503, body: 'no JSON' }, becomes: { kind: 'refused', retry: 'later' } },
  ],
}
