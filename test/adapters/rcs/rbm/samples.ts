/** Calls and answers of RCS Business Messaging, for the kit and for the tests beside it. */
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { uuidFrom } from '../../../../adapters/kit/http.js'
import type { Samples } from '../../../../adapters/kit/suite/samples.js'
import type { RbmAuth } from '../../../../adapters/rcs/rbm/descriptor.js'
import type { Item } from '../../../../core/channel/adapter.js'

/** Shorter than those of real accounts: the suite signs thousands of times. */
const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 })
export const publicKey = rsa.publicKey

export const auth: RbmAuth = {
  agentId: 'harbor_desk_agent',
  serviceAccount: {
    client_email: 'rbm@harbor-desk.example',
    private_key: rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  },
  clientToken: 'a client token of our own choice',
}

export const address = '+15550100'
const from = { senderPhoneNumber: address, agentId: auth.agentId, sendTime: '2026-11-20T12:00:00.000Z' }

/** As the platform posts it. */
export function enveloped(event: unknown): string {
  return JSON.stringify({ message: { data: Buffer.from(JSON.stringify(event)).toString('base64') } })
}

/** Written here a second time, from the documents and not from the adapter. */
export function signatureFor(body: Uint8Array | string, clientToken: string): Readonly<Record<string, string>> {
  try {
    const { data } = (JSON.parse(Buffer.from(body).toString()) as { message: { data: string } }).message
    const signing = createHmac('sha512', clientToken).update(Buffer.from(data, 'base64'))
    return { 'x-goog-signature': signing.digest('base64') }
  } catch {
    return {}
  }
}

const content = (id: string, value: object): Item =>
  ({ id, address, inbound: { kind: 'content', content: value } }) as Item
const receipt = (state: 'delivered' | 'read'): Item => ({
  id: `${uuidFrom('msg_1.0')} ${state}`,
  address,
  inbound: { kind: 'receipt', receipt: { providerId: uuidFrom('msg_1.0'), state } },
})
const about = (eventType: string, id: string) => ({
  senderPhoneNumber: address,
  eventType,
  eventId: id,
  agentId: auth.agentId,
})
const ofOurs = (eventType: string, id: string) => ({ ...about(eventType, id), messageId: uuidFrom('msg_1.0') })

/** Every event that the platform documents, and what it comes to. */
export const events: Readonly<Record<string, { readonly event: unknown; readonly items: readonly Item[] }>> = {
  text: { event: { ...from, messageId: 'MxA1', text: 'Hi' }, items: [content('MxA1', { text: 'Hi' })] },
  'a tapped reply': {
    event: {
      ...from,
      messageId: 'MxA2',
      suggestionResponse: { postbackData: 'p1.msg_1.3', text: 'Book a table', type: 'REPLY' },
    },
    items: [{ id: 'MxA2', address, inbound: { kind: 'tap', messageId: 'msg_1', tapIndex: 3, label: 'Book a table' } }],
  },
  'a tapped action whose postback is echoed in base64': {
    event: {
      ...from,
      messageId: 'MxA3',
      suggestionResponse: {
        postbackData: Buffer.from('p1.msg_1.0').toString('base64'),
        text: 'Website',
        type: 'ACTION',
      },
    },
    items: [{ id: 'MxA3', address, inbound: { kind: 'tap', messageId: 'msg_1', tapIndex: 0, label: 'Website' } }],
  },
  'a reply that somebody else wrote': {
    event: { ...from, messageId: 'MxA4', suggestionResponse: { postbackData: 'menu', text: 'Menu', type: 'REPLY' } },
    items: [content('MxA4', { text: 'Menu' })],
  },
  'a location': {
    event: { ...from, messageId: 'MxA5', location: { latitude: 40.7, longitude: -74 } },
    items: [content('MxA5', { place: { latitude: 40.7, longitude: -74 } })],
  },
  'a file': {
    event: {
      ...from,
      messageId: 'MxA6',
      userFile: {
        payload: {
          mimeType: 'image/jpeg',
          fileSizeBytes: 1280,
          fileUri: 'https://files.example/1',
          fileName: 'cat.jpg',
        },
      },
    },
    items: [content('MxA6', { media: [{ url: 'https://files.example/1', type: 'image/jpeg', name: 'cat.jpg' }] })],
  },
  delivered: { event: ofOurs('DELIVERED', 'e1'), items: [receipt('delivered')] },
  read: { event: ofOurs('READ', 'e2'), items: [receipt('read')] },
  typing: {
    event: about('IS_TYPING', 'e3'),
    items: [{ id: 'event e3', address, inbound: { kind: 'system', system: 'typing' } }],
  },
  subscribe: {
    event: about('SUBSCRIBE', 'e4'),
    items: [{ id: 'event e4', address, inbound: { kind: 'system', system: 'subscribed' } }],
  },
  unsubscribe: {
    event: about('UNSUBSCRIBE', 'e5'),
    items: [{ id: 'event e5', address, inbound: { kind: 'system', system: 'unsubscribed' } }],
  },
  'a message that was taken back when its time was over': {
    event: {
      phoneNumber: address,
      messageId: uuidFrom('msg_1.0'),
      agentId: auth.agentId,
      eventType: 'TTL_EXPIRATION_REVOKED',
      eventId: 'e6',
      sendTime: from.sendTime,
    },
    items: [
      {
        id: `${uuidFrom('msg_1.0')} failed`,
        address,
        inbound: {
          kind: 'receipt',
          receipt: {
            providerId: uuidFrom('msg_1.0'),
            state: 'failed',
            reason: 'expired',
            detail: 'It did not arrive in its time.',
          },
        },
      },
    ],
  },
}

const failure = (code: number, status: string) => ({
  status: code,
  body: { error: { code, message: 'words of the platform', status } },
})

/** As the platform spells them. */
export const everyFeature = [
  'REVOCATION',
  'RICHCARD_STANDALONE',
  'RICHCARD_CAROUSEL',
  'ACTION_CREATE_CALENDAR_EVENT',
  'ACTION_DIAL',
  'ACTION_OPEN_URL',
  'ACTION_SHARE_LOCATION',
  'ACTION_VIEW_LOCATION',
]

export const rbmSamples: Samples<RbmAuth> = {
  auth,
  otherAuths: [
    {
      ...auth,
      serviceAccount: { ...auth.serviceAccount, token_uri: 'https://token.example/token' },
      apiUrl: 'https://rbm.example',
    },
  ],
  invalidAuths: [
    {
      auth: {
        ...auth,
        serviceAccount: { ...auth.serviceAccount, private_key: '-----BEGIN PRIVATE KEY-----\nno key\n' },
      },
      field: 'serviceAccount.private_key',
    },
  ],
  address,
  oneByOne: true,
  sign: ({ body }, { clientToken }) => signatureFor(body, clientToken),
  calls: [
    {
      name: 'the webhook is set up',
      body: { clientToken: auth.clientToken, secret: 'say this again' },
      proves: 'caller',
      becomes: { kind: 'answer', status: 200, body: 'say this again' },
    },
    {
      name: 'the webhook is set up by somebody else',
      body: { clientToken: 'another token', secret: 'say this again' },
      becomes: { kind: 'refused' },
    },
    ...Object.entries(events).map(([name, { event, items }]) => ({
      name,
      body: enveloped(event),
      // The event is signed and its envelope is not: a blank behind it changes nothing.
      proves: 'caller' as const,
      becomes: { kind: 'items', items } as Samples['calls'][number]['becomes'],
    })),
    {
      name: 'an event that nobody knows',
      body: enveloped(about('SOMETHING_NEW', 'e9')),
      proves: 'caller',
      becomes: { kind: 'items', items: [{ problem: true }] },
    },
  ],
  before: ({ url }) =>
    url.endsWith('/token') ? { status: 200, body: { access_token: 'ya29.token', expires_in: 3599 } } : undefined,
  deviceCapabilities: everyFeature,
  answers: [
    { name: 'taken', answer: { status: 200, body: { name: 'phones/…' } }, becomes: { kind: 'sent' } },
    {
      name: 'taken before, under the same id',
      answer: failure(409, 'ALREADY_EXISTS'),
      becomes: { kind: 'sent' },
    },
    {
      name: 'not taken as it is',
      answer: failure(400, 'INVALID_ARGUMENT'),
      becomes: { kind: 'refused', reason: 'invalidMessage', retry: 'otherChannel' },
    },
    {
      name: 'too much for the phone',
      answer: failure(400, 'INVALID_ARGUMENT'),
      follows: { status: 200, body: { features: ['ACTION_DIAL', 'REVOCATION', 'SOMETHING_NEW'] } },
      becomes: {
        kind: 'refused',
        reason: 'invalidMessage',
        retry: 'otherChannel',
        deviceCapabilities: ['REVOCATION', 'ACTION_DIAL'],
      },
    },
    {
      name: 'the token is not taken',
      answer: failure(401, 'UNAUTHENTICATED'),
      becomes: { kind: 'refused', retry: 'otherChannel', needsOperator: true },
    },
    {
      name: 'not launched there',
      answer: failure(403, 'PERMISSION_DENIED'),
      becomes: { kind: 'refused', reason: 'sendFailed', retry: 'otherChannel' },
    },
    {
      name: 'no RCS there',
      answer: failure(404, 'NOT_FOUND'),
      becomes: { kind: 'refused', reason: 'sendFailed', retry: 'otherChannel' },
    },
    {
      name: 'too much at once',
      answer: failure(429, 'RESOURCE_EXHAUSTED'),
      becomes: { kind: 'refused', reason: 'rateLimited', retry: 'later' },
    },
    {
      name: 'down for a moment',
      answer: failure(503, 'UNAVAILABLE'),
      becomes: { kind: 'refused', reason: 'sendFailed', retry: 'later' },
    },
  ],
}
