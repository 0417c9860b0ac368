/** Whether Twilio has a message whose send was not answered: its list of messages by number, text and time. */
import t from 'tap'
import { twilioAdapter } from '../../../../adapters/sms/twilio/adapter.js'
import type { TwilioAuth } from '../../../../adapters/sms/twilio/descriptor.js'
import type { FindContext } from '../../../../core/channel/adapter.js'
import { twilio as limits } from '../../../../core/limits/index.js'
import { openEmulatorHarness } from '../../emulator/emulatorharness.js'
import { callProvider, silence, testProvider } from '../../rcs/rbm/provider.js'
import { twilioSamples } from './samples.js'

const { auth } = twilioSamples
const since = Date.UTC(2026, 10, 20, 12)
const listed = (sid: string, more: object = {}) => ({
  sid,
  direction: 'outbound-api',
  body: 'Hello',
  num_media: '0',
  date_created: new Date(since + 1_000).toUTCString(),
  ...more,
})

async function findIn(
  messages: readonly object[] | number,
  more: Partial<FindContext<TwilioAuth>> = {},
  payload = { Body: 'Hello' },
) {
  const answer = typeof messages === 'number' ? { status: messages } : { status: 200, body: { messages } }
  const { sendContext, requests } = testProvider(auth, () => answer)
  const outcome = await twilioAdapter.find!(payload, { ...sendContext, since, isKnown: () => false, ...more })
  return { outcome, requests }
}

t.test('The message list is requested for both numbers, with the credentials of the account', async (t) => {
  const { outcome, requests } = await findIn([listed('SM1')])
  t.same(outcome, { kind: 'found', providerId: 'SM1' })
  const url = new URL(requests[0]!.url)
  t.equal(requests[0]!.method, 'GET')
  t.match(url.pathname, /\/Messages\.json$/)
  t.same([url.searchParams.get('To'), url.searchParams.get('From')], ['+15550100', auth.from])
  t.match(requests[0]!.headers?.authorization, /^Basic /)
})

t.test('A message of another text, time, direction or known id is no match', async (t) => {
  const early = new Date(since - limits.clockSkewMs - 60_000).toUTCString()
  const others = [{ body: 'Hello!' }, { date_created: early }, { direction: 'inbound' }, { num_media: '1' }]
  for (const other of others) t.same((await findIn([listed('SM1', other)])).outcome, { kind: 'absent' })
  t.same((await findIn([listed('SM1')], { isKnown: (id) => id === 'SM1' })).outcome, { kind: 'absent' })
})

t.test('A list that is unavailable, or does not reach back far enough, leaves the outcome unknown', async (t) => {
  for (const status of [401, 404, 429, 500]) t.match((await findIn(status)).outcome, { kind: 'unknown' })
  const { sendContext } = testProvider(auth, () => silence)
  t.match(await twilioAdapter.find!({ Body: 'Hello' }, { ...sendContext, since, isKnown: () => false }), {
    kind: 'unknown',
  })
  const many = Array.from({ length: limits.listedMessages }, (_, at) => listed(`SM${at}`, { body: `Other ${at}` }))
  t.match((await findIn(many)).outcome, { kind: 'unknown' })
})

t.test('The emulated list contains messages accepted without an answer, and none that were refused', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const account = emulated.account('twilio')
  const { sendContext } = testProvider(account.auth as unknown as TwilioAuth, callProvider, {
    address: '+15550100001',
    ingressUrl: account.ingressUrl!,
  })
  const findContext = { ...sendContext, since: Date.now(), isKnown: () => false }
  emulated.emulator.faults.add({ account: 'twilio', kind: 'reset', times: 1 })
  t.match(await twilioAdapter.send({ Body: 'Hello' }, sendContext), { isUnknown: true })
  t.same(await twilioAdapter.find!({ Body: 'Hello' }, findContext), { kind: 'absent' })
  emulated.emulator.faults.add({ account: 'twilio', kind: 'noAnswer', times: 1 })
  t.match(await twilioAdapter.send({ Body: 'Hello' }, sendContext), { isUnknown: true })
  const { providerId } = emulated.emulator.sent(0)[0]!
  t.same(await twilioAdapter.find!({ Body: 'Hello' }, findContext), { kind: 'found', providerId })
  t.same(await twilioAdapter.find!({ Body: 'Goodbye' }, findContext), { kind: 'absent' })
})
