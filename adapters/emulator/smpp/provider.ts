/** Emulates an SMPP message center: the submits it accepts, and the PDUs it delivers. */
import { providerEmulator as limits } from '../../../core/limits/index.js'
import type {
  AcceptedMessage,
  Account,
  Call,
  EmulatedProvider,
  EmulatorContext,
  PersonCall,
  Receipt,
  RecipientStatus,
} from '../contract.js'
import { fits, splitSms } from '../septets.js'

export const commandStatus = {
  ok: 0x00,
  badLength: 0x01,
  badBindState: 0x04,
  systemError: 0x08,
  badSource: 0x0a,
  badDestination: 0x0b,
  bindFailed: 0x0d,
  badPassword: 0x0e,
  submitFailed: 0x45,
  throttled: 0x58,
} as const

interface SmppAuth {
  readonly systemId: string
  readonly password: string
  readonly from: string
}
export const smppAuthOf = (account: Account) => account.auth as unknown as SmppAuth

/** A submit as the library parsed it. */
export interface Submit {
  readonly source_addr: string
  readonly destination_addr: string
  readonly esm_class: number
  readonly data_coding: number
  readonly registered_delivery: number
  readonly short_message?: { readonly udh?: readonly Uint8Array[]; readonly message: string | Uint8Array }
  readonly message_payload?: { readonly message: string | Uint8Array }
}

/** Message states in receipts, with their words. */
const states: Readonly<Record<number, string>> = { 2: 'DELIVRD', 5: 'UNDELIV', 8: 'REJECTD' }
const delivered = 2
const failures: Readonly<Record<RecipientStatus, { status?: number; state?: number }>> = {
  well: {},
  unreachable: { state: 5 },
  blocked: { state: 8 },
  optedOut: { status: commandStatus.submitFailed },
}

const digitsOf = (number: string) => number.replace(/\D/g, '')
const receiptClass = 0x04
const udhClass = 0x40
const ucs2 = 8
const latin = 3

export const smpp: EmulatedProvider = {
  name: 'smpp',
  retryAfterMs: limits.retryAfterMs.smpp,
  timeoutMs: limits.webhookTimeoutMs.usual,
  address: digitsOf,

  credentials(mint, { smppHost, smppPort }) {
    return {
      host: smppHost,
      port: smppPort,
      systemId: `emu${mint('systemId', 10, 'abcdefghjkmnpqrstuvwxyz23456789')}`,
      password: mint('password', 8),
      from: mint('from', 5, '23456789'),
      windowSize: 100,
      ratePerSecond: 1_000,
    }
  },

  receiptCallback(account, accepted, receipt, context) {
    return { pdu: receiptOf(account, accepted, receipt, context) }
  },

  callbacksFor(account, address, userAct, context) {
    switch (userAct.kind) {
      case 'text':
        return textCalls(account, address, userAct.text, context)
      case 'stop':
        return textCalls(account, address, 'STOP', context)
      case 'optOut':
        context.setOptedOut(account, address, true)
        return textCalls(account, address, 'STOP', context)
      case 'optIn':
        context.setOptedOut(account, address, false)
        return textCalls(account, address, 'START', context)
      default:
        return `There is no ${userAct.kind} on sms.`
    }
  },

  taps: () => [],
}

/** Parses a submit; a number is the status of a refused one. */
export function parseSubmit(unit: Submit, account: Account, context: EmulatorContext): PersonCall | number {
  const text = textOf(unit)
  if (unit.source_addr !== senderOf(account)) return commandStatus.badSource
  if (!/^\d{7,15}$/.test(unit.destination_addr)) return commandStatus.badDestination
  if (![0, 1, latin, ucs2].includes(unit.data_coding)) return commandStatus.submitFailed
  if (text === '' || !isShortEnough(unit, text)) return commandStatus.badLength
  return {
    account,
    address: unit.destination_addr,
    kind: 'message',
    async perform(accept) {
      const { status, state = delivered } = failures[context.recipientStatus(account, unit.destination_addr)]
      if (status !== undefined) return { status }
      const id = context.newId(4)
      const receipt: Receipt = state === delivered ? { state: 'delivered' } : { state: 'failed', code: state }
      await accept(id, bodyOf(unit, text), (unit.registered_delivery & 1) === 1 ? [receipt] : [])
      return { status: commandStatus.ok, body: id }
    },
  }
}

/** Numbers lose their plus; a name stays. */
function senderOf(account: Account): string {
  const { from } = smppAuthOf(account)
  return /^\+?\d+$/.test(from) ? digitsOf(from) : from
}

function textOf({ short_message: short, message_payload: payload }: Submit): string {
  const message = short?.message.length ? short.message : (payload?.message ?? '')
  return typeof message === 'string' ? message : Buffer.from(message).toString('latin1')
}

/** Only a message payload may be longer than one part: the message center splits it. */
function isShortEnough(unit: Submit, text: string): boolean {
  if (!unit.short_message?.message.length) return true
  const header = unit.short_message.udh ?? []
  const headerBytes = header.length === 0 ? 0 : header.reduce((sum, each) => sum + each.length, 1)
  if (unit.data_coding === latin) return text.length + headerBytes <= 140
  return fits(text, unit.data_coding === ucs2 ? 'ucs2' : 'gsm7', headerBytes)
}

function bodyOf(unit: Submit, text: string) {
  const { source_addr, destination_addr, esm_class, data_coding, registered_delivery } = unit
  const udh = unit.short_message?.udh?.map((each) => Buffer.from(each).toString('hex'))
  const header = udh && udh.length > 0 ? { udh } : {}
  return { source_addr, destination_addr, esm_class, data_coding, registered_delivery, ...header, short_message: text }
}

function receiptOf(
  account: Account,
  accepted: AcceptedMessage,
  { code = delivered }: Receipt,
  context: EmulatorContext,
) {
  const isDecimal = context.faultsFor(accepted).decimalReceiptIds !== undefined
  const id = isDecimal ? String(Number.parseInt(accepted.providerId, 16)) : accepted.providerId
  const deliveredCount = code === delivered ? '001' : '000'
  const { short_message: original } = accepted.body as { short_message: string }
  const start = [...original]
    .slice(0, 20)
    .join('')
    .replace(/[^ -~]/g, '?')
  const text = `id:${id} sub:001 dlvrd:${deliveredCount} submit date:${minuteOf(accepted.at)} done date:${minuteOf(context.now())} stat:${states[code]} err:000 text:${start}`
  return {
    ...addressFields(accepted.address, account),
    esm_class: receiptClass,
    data_coding: 0,
    short_message: { message: text },
    receipted_message_id: id,
    message_state: code,
  }
}

function addressFields(address: string, account: Account) {
  const sender = { source_addr_ton: 1, source_addr_npi: 1, source_addr: address }
  return { ...sender, dest_addr_ton: 3, dest_addr_npi: 0, destination_addr: senderOf(account) }
}

/** A long text comes in parts, each with a header that gives its position. */
function textCalls(account: Account, address: string, text: string, context: EmulatorContext): readonly Call[] {
  const { alphabet, parts } = splitSms(text)
  const reference = Number.parseInt(context.newId(1), 16)
  return parts.map((message, index) => {
    const udh = Buffer.from([5, 0, 3, reference, parts.length, index + 1])
    const pdu = {
      ...addressFields(address, account),
      esm_class: parts.length > 1 ? udhClass : 0,
      data_coding: alphabet === 'gsm7' ? 0 : ucs2,
      short_message: parts.length > 1 ? { udh, message } : { message },
    }
    return { pdu }
  })
}

/** YYMMDDhhmm. */
function minuteOf(at: number): string {
  return new Date(at).toISOString().replace(/\D/g, '').slice(2, 12)
}
