/**
 * The wires of the providers as the flow of `providers.test.ts` meets them: one row each, with what it has and lacks.
 */
import type { Act, ChannelProviderName } from '../../adapters/emulator/contract.js'
import type { FaultKind } from '../../adapters/emulator/faults.js'
import type { ChannelName } from '../../core/channelnames.js'

export const rooms = ['Red', 'Blue', 'Green', 'White', 'Black', 'Amber', 'Coral'].map((colour) => ({
  id: colour.toLowerCase(),
  label: `${colour} room`,
}))

type ConsentEvent = 'optOut' | 'optIn' | 'unsubscribed' | 'subscribed'

export interface ProviderRow {
  readonly channel: ChannelName
  readonly address: string
  /** It makes itself known at a new address. */
  readonly greets?: true
  /** It is connected to, and has no webhook. */
  readonly hasConnection?: true
  /** People may be written to for a day after they wrote. */
  readonly hasWindow?: true
  /** What it tells of a message after it took it. */
  readonly receiptStates: readonly ('delivered' | 'read')[]
  /** It ignores a message whose id it has seen. Elsewhere one that was never answered for may arrive twice. */
  readonly knowsIds?: true
  /**
   * Seven rooms to choose from, as the provider gets them, and where in the body they are. `tap`: what a tap returns.
   */
  readonly offer: (tap: (optionIndex: number) => string) => unknown
  // biome-ignore lint/suspicious/noExplicitAny: what is read is asserted
  readonly offerIn: (body: any) => unknown
  /** How the third room is picked, and how a confirmation is given. */
  readonly pick: Act
  readonly agree: Act
  /** Why a message fails that comes with credentials which are not taken. */
  readonly unauthorized: string
  /** How a message fails to a person whom the provider no longer reaches. */
  readonly lost: {
    readonly kind: FaultKind
    /** It is taken, and a receipt tells that it failed. */
    readonly isReported?: true
    readonly reason: string
    readonly detail?: string
    /** The person counts as opted out from then on. */
    readonly optsOut?: true
  }
  /** How people leave and come back, and what the agent hears of it; absent where the provider tells nobody. */
  readonly leaving?: {
    readonly leave: Act
    readonly optOutEvents: readonly ConsentEvent[]
    readonly back: readonly ConsentEvent[]
  } & (
    | { readonly comeBack: Act; readonly isByWriting?: undefined }
    | { readonly comeBack: Extract<Act, { kind: 'text' }>; readonly isByWriting: true }
  )
}

const phone = '+15550100'
const pageUser = '7000000000000001'
const text = (words: string) => ({ kind: 'text', text: words }) as const
const tapOn = (label: string) => ({ kind: 'tap', label }) as const
const row = { kind: 'row', label: 'Green room' } as const

/** What there is to choose, where there is nothing but text. */
export const numbered = [
  'Which room?',
  ...rooms.map(({ label }, index) => `${index + 1}. ${label}`),
  'Reply with a number to choose.',
].join('\n')

const smsLeaving = {
  leave: { kind: 'stop' },
  optOutEvents: ['optOut'],
  comeBack: text('START'),
  back: ['optIn'],
} as const

const quickReplies: ProviderRow['offer'] = (tap) => ({
  text: 'Which room?',
  quick_replies: rooms.map(({ label }, optionIndex) => ({
    content_type: 'text',
    title: label,
    payload: tap(optionIndex),
  })),
})

export const providerRows: Readonly<Record<ChannelProviderName, ProviderRow>> = {
  smpp: {
    channel: 'sms',
    address: phone,
    hasConnection: true,
    receiptStates: ['delivered'],
    offer: () => numbered,
    offerIn: (body) => body.short_message,
    pick: text('3'),
    agree: text('yes'),
    unauthorized: 'The message center refused the line with 0x0e: a wrong password.',
    lost: { kind: 'unreachable', isReported: true, reason: 'undeliverable' },
    leaving: smsLeaving,
  },
  rbm: {
    channel: 'rcs',
    address: phone,
    greets: true,
    receiptStates: ['delivered', 'read'],
    knowsIds: true,
    offer: (tap) => ({
      text: 'Which room?',
      suggestions: rooms.map(({ label }, optionIndex) => ({ reply: { text: label, postbackData: tap(optionIndex) } })),
    }),
    offerIn: (body) => body.contentMessage,
    pick: tapOn('Green room'),
    agree: tapOn('Yes'),
    unauthorized: 'The platform does not take the service account.',
    lost: { kind: 'unreachable', reason: 'sendFailed', detail: 'RCS does not reach this phone.' },
    // The menu of the phone tells both: the event, and the word that the person would have typed.
    leaving: {
      leave: { kind: 'optOut' },
      optOutEvents: ['optOut', 'unsubscribed'],
      comeBack: { kind: 'optIn' },
      back: ['optIn', 'subscribed'],
    },
  },
  twilio: {
    channel: 'sms',
    address: phone,
    receiptStates: ['delivered'],
    offer: () => numbered,
    offerIn: (body) => body.Body,
    pick: text('3'),
    agree: text('yes'),
    knowsIds: true,
    unauthorized: 'Twilio does not take the account or its token.',
    lost: { kind: 'optedOut', reason: 'optedOut', detail: 'The person has opted out at Twilio.', optsOut: true },
    leaving: smsLeaving,
  },
  whatsapp: {
    channel: 'messengerA',
    address: phone,
    greets: true,
    hasWindow: true,
    receiptStates: ['delivered', 'read'],
    offer: (tap) => ({
      type: 'list',
      body: { text: 'Which room?' },
      action: {
        button: 'Select',
        sections: [{ rows: rooms.map(({ label }, optionIndex) => ({ id: tap(optionIndex), title: label })) }],
      },
    }),
    offerIn: (body) => body.interactive,
    pick: row,
    agree: tapOn('Yes'),
    unauthorized: 'The provider answered with code 190.',
    lost: {
      kind: 'optedOut',
      isReported: true,
      reason: 'optedOut',
      detail: 'The provider answered with code 131050.',
      optsOut: true,
    },
  },
  messenger: {
    channel: 'messengerB',
    address: pageUser,
    greets: true,
    hasWindow: true,
    receiptStates: ['delivered', 'read'],
    offer: quickReplies,
    offerIn: (body) => body.message,
    pick: tapOn('Green room'),
    agree: tapOn('Yes'),
    unauthorized: 'The provider answered with code 190.',
    lost: { kind: 'blocked', reason: 'unknownRecipient', detail: 'The provider answered with code 551.' },
  },
  instagram: {
    channel: 'socialC',
    address: pageUser,
    greets: true,
    hasWindow: true,
    receiptStates: ['read'],
    offer: quickReplies,
    offerIn: (body) => body.message,
    pick: tapOn('Green room'),
    agree: tapOn('Yes'),
    unauthorized: 'The provider answered with code 190.',
    lost: { kind: 'blocked', reason: 'unknownRecipient', detail: 'The provider answered with code 551.' },
  },
  apple: {
    channel: 'vendorMessages',
    address: 'urn:mbid:AQAAY0000001',
    receiptStates: [],
    offer: (tap) => [
      {
        title: 'Select',
        order: 0,
        multipleSelection: false,
        items: rooms.map(({ label }, order) => ({ identifier: tap(order), order, title: label, style: 'default' })),
      },
    ],
    offerIn: (body) => body.interactiveData.data.listPicker.sections,
    pick: row,
    agree: tapOn('Yes'),
    unauthorized: 'Answered 401.',
    lost: { kind: 'blocked', reason: 'unknownRecipient', detail: 'Answered 404.' },
    // Who deleted the thread is back by writing.
    leaving: {
      leave: { kind: 'optOut' },
      optOutEvents: ['optOut', 'unsubscribed'],
      comeBack: text('Hello again'),
      isByWriting: true,
      back: ['optIn'],
    },
  },
  slack: {
    channel: 'workchatD',
    address: 'D0PERSON1',
    greets: true,
    receiptStates: [],
    offer: (tap) => ({
      type: 'static_select',
      action_id: 'choice',
      placeholder: { type: 'plain_text', text: 'Select' },
      options: rooms.map(({ label }, optionIndex) => ({
        text: { type: 'plain_text', text: label },
        value: tap(optionIndex),
      })),
    }),
    offerIn: (body) => body.blocks[1].elements[0],
    pick: row,
    agree: tapOn('Yes'),
    unauthorized: 'Slack answered invalid_auth.',
    lost: { kind: 'blocked', reason: 'sendFailed', detail: 'Slack answered restricted_action.' },
  },
}

/** The header that holds the signature of a call; that of smpp is the line itself. */
export const signatureHeaders: Readonly<Record<Exclude<ChannelProviderName, 'smpp'>, string>> = {
  rbm: 'x-goog-signature',
  twilio: 'x-twilio-signature',
  whatsapp: 'x-hub-signature-256',
  messenger: 'x-hub-signature-256',
  instagram: 'x-hub-signature-256',
  apple: 'authorization',
  slack: 'x-slack-signature',
}
