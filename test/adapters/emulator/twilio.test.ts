/** The emulated Twilio, called as its documents say, its signatures checked by its own SDK. */
import t, { type Test } from 'tap'
import twilio from 'twilio'
import type { Account } from '../../../adapters/emulator/contract.js'
import type { Received } from '../../harness/receiver.js'
import { type EmulatorHarness, openEmulatorHarness } from './emulatorharness.js'

const person = '+15550100001'

interface Auth {
  readonly accountSid: string
  readonly authToken: string
  readonly from: string
  readonly apiUrl: string
}
const authOf = (account: Account) => account.auth as unknown as Auth

function openAccount(emulated: EmulatorHarness) {
  const auth = authOf(emulated.account('twilio'))
  const statusUrl = emulated.receiver.url('/status')
  const url = `${auth.apiUrl}/2010-04-01/Accounts/${auth.accountSid}/Messages.json`
  const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const post = (
    form: Record<string, string> | [string, string][],
    authorization = basic(auth.accountSid, auth.authToken),
  ) => emulated.call(url, { method: 'POST', headers: { authorization }, body: new URLSearchParams(form) })
  const send = (more: Record<string, string> = {}) =>
    post({ To: person, From: auth.from, Body: 'Hello', StatusCallback: statusUrl, ...more })
  return { auth, url, statusUrl, post, send, basic }
}

/** The form of a call, once the SDK believes it. */
function formIn(t: Test, { body, headers }: Received, url: string, { authToken }: Auth): Record<string, string> {
  const form = Object.fromEntries(new URLSearchParams(body.toString()))
  t.ok(
    twilio.validateRequest(authToken, String(headers['x-twilio-signature']), url, form),
    'the SDK accepts the signature',
  )
  t.notOk(twilio.validateRequest(authToken, String(headers['x-twilio-signature']), url, { ...form, X: '1' }))
  return form
}

t.test('A message is accepted, stored unchanged, and its signed status reaches the callback', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { auth, send, statusUrl } = openAccount(emulated)
  const { status, json } = await send({ Body: 'a'.repeat(161) })
  t.equal(status, 201)
  t.match(json, { status: 'queued', num_segments: '2', to: person, from: auth.from, error_code: null })
  t.match(json.sid, /^SM[0-9a-f]{32}$/)
  t.match(emulated.emulator.sent(0), [
    { address: person, providerId: json.sid, body: { To: person, Body: 'a'.repeat(161) } },
  ])
  const forms = (await emulated.waitForCalls('/status', 2)).map((each) => formIn(t, each, statusUrl, auth))
  t.match(forms, [
    { MessageSid: json.sid, MessageStatus: 'sent', To: person, From: auth.from, AccountSid: auth.accountSid },
    { MessageSid: json.sid, MessageStatus: 'delivered' },
  ])
})

t.test('Wrong credentials and wrong parameters are refused with Twilio’s own errors', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { auth, post, send, basic, url } = openAccount(emulated)
  const refused = (status: number, code: number) => ({ status, json: { status, code, more_info: /errors/ } })
  t.match(await post({ To: person, From: auth.from, Body: 'a' }, basic(auth.accountSid, 'wrong')), refused(401, 20_003))
  t.match(await post({ To: person, From: auth.from, Body: 'a' }, ''), refused(401, 20_003))
  t.match(await emulated.call(url.replace('Messages', 'Calls'), { method: 'POST' }), refused(404, 20_404))
  const json = { method: 'POST', headers: { authorization: basic(auth.accountSid, auth.authToken) }, body: '{}' }
  t.match(await emulated.call(url, json), refused(415, 20_415))
  t.match(await post({ From: auth.from, Body: 'a' }), refused(400, 21_604))
  t.match(await send({ To: '5550100' }), refused(400, 21_211))
  t.match(await post({ To: person, Body: 'a' }), refused(400, 21_603))
  t.match(await send({ From: '+19990000000' }), refused(400, 21_606))
  t.match(await send({ Body: '' }), refused(400, 14_103))
  t.match(await send({ Body: 'a'.repeat(1_601) }), refused(400, 14_103))
  t.match(await send({ StatusCallback: 'nowhere' }), refused(400, 21_609))
  t.match(await send({ ValidityPeriod: '14401' }), refused(400, 21_630))
  t.match(await send({ Boddy: 'a' }), refused(400, 20_001))
  const media = Array.from({ length: 11 }, (): [string, string] => ['MediaUrl', 'https://a.example/b.png'])
  t.match(await post([['To', person], ['From', auth.from], ...media]), refused(400, 21_623))
  t.same(emulated.emulator.sent(0), [])
  t.equal((await send({ Body: 'a'.repeat(1_600) })).status, 201, 'at the limit it is accepted')
})

t.test('STOP is forwarded and recorded: sends get 21610 until START', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { auth, send } = openAccount(emulated)
  const { emulator, receiver } = emulated
  t.match(await emulator.act('twilio', person, { kind: 'stop' }), { kind: 'performed', taken: true })
  t.match(await send(), { status: 400, json: { code: 21_610 } })
  t.equal((await send({ To: '+15550100009' })).status, 201, 'others are not touched')
  await emulator.act('twilio', person, { kind: 'text', text: ' start ' })
  t.equal((await send()).status, 201)
  await emulator.act('twilio', person, { kind: 'optOut' })
  t.match(await send(), { json: { code: 21_610 } })
  const forms = receiver.at('/twilio').map((each) => formIn(t, each, receiver.url('/twilio'), auth))
  t.match(forms, [
    { From: person, To: auth.from, Body: 'STOP', OptOutType: 'STOP', NumMedia: '0' },
    { Body: ' start ', OptOutType: 'START' },
    { Body: 'STOP', OptOutType: 'STOP' },
  ])
})

t.test('Texts and media of people arrive signed, and sms has nothing else', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { auth } = openAccount(emulated)
  const { emulator, receiver } = emulated
  await emulator.act('twilio', '1 555 010 0001', { kind: 'text', text: 'Grüße & 50% +1 😀' })
  await emulator.act('twilio', person, { kind: 'media', url: 'https://a.example/b.png', type: 'image/png' })
  const forms = receiver.at('/twilio').map((each) => formIn(t, each, receiver.url('/twilio'), auth))
  t.match(forms, [
    { From: person, Body: 'Grüße & 50% +1 😀', NumMedia: '0' },
    {
      NumMedia: '1',
      MediaUrl0: /\/Messages\/MM[0-9a-f]{32}\/Media\/ME[0-9a-f]{32}$/,
      MediaContentType0: 'image/png',
      MessageSid: /^MM/,
    },
  ])
  for (const kind of ['typing', 'read'] as const) {
    t.match(await emulator.act('twilio', person, { kind }), { kind: 'impossible' })
  }
  t.match(await emulator.act('twilio', person, { kind: 'tap', index: 0 }), { kind: 'impossible' })
})

t.test('A message to an unreachable or filtered number is accepted and fails in its receipt', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { auth, send, statusUrl } = openAccount(emulated)
  emulated.emulator.faults.add({ account: 'twilio', address: person, kind: 'unreachable', times: 1 })
  t.equal((await send()).status, 201)
  await emulated.waitForCalls('/status', 2)
  emulated.emulator.faults.add({ account: 'twilio', address: person, kind: 'blocked', times: 1 })
  t.equal((await send()).status, 201)
  const forms = (await emulated.waitForCalls('/status', 4)).map((each) => formIn(t, each, statusUrl, auth))
  t.match(forms, [
    { MessageStatus: 'sent' },
    { MessageStatus: 'undelivered', ErrorCode: '30005' },
    { MessageStatus: 'sent' },
    { MessageStatus: 'undelivered', ErrorCode: '30007' },
  ])
})
