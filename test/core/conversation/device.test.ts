/** What a conversation remembers of the device of its person, and what that means for messages on their way. */

import t from 'tap'
import { dropStale, withDeviceCapabilities } from '../../../core/conversation/device.js'
import type { DeliveryOutcome } from '../../../core/conversation/outcome.js'
import { conversation as limits, outreachSend } from '../../../core/limits/index.js'
import { createChat } from './fixture.js'

const question = {
  spec: 'amf/1',
  parts: [
    {
      type: 'ask.choice',
      intentId: 'room',
      prompt: 'Which room?',
      options: ['Red', 'Blue', 'Green'].map((label) => ({ id: label.toLowerCase(), label })),
    },
  ],
} as const

t.test('Device capabilities are saved only when they change', async (t) => {
  const before = createChat().conversation()
  t.equal(withDeviceCapabilities(before, undefined), before, 'a report without capabilities removes none')
  const updated = withDeviceCapabilities(before, ['LIST', 'QUICK'])
  t.same(updated, { ...before, deviceCapabilities: ['LIST', 'QUICK'] })
  t.equal(withDeviceCapabilities(updated, ['QUICK', 'LIST']), updated, 'in any order')
  t.equal(withDeviceCapabilities(updated, undefined), updated)
  t.same(withDeviceCapabilities(updated, []).deviceCapabilities, [])
})

const noCards = ['REVOCATION']
const hello = { spec: 'amf/1', parts: [{ type: 'text', text: 'Hello' }] } as const
const idOf = (answer: object) => ('messageId' in answer ? String(answer.messageId) : '')

t.test('Device capabilities of a refusal are saved, whatever happens to the message', async (t) => {
  for (const outcome of [
    { kind: 'sent', providerIds: ['p1'], deviceCapabilities: noCards, isRewritten: true },
    { kind: 'refused', reason: 'invalidMessage', retry: 'otherChannel', deviceCapabilities: noCards },
    { kind: 'refused', reason: 'sendFailed', retry: 'later', deviceCapabilities: noCards, isRewritten: true },
  ] satisfies DeliveryOutcome[]) {
    const chat = createChat({ channel: 'rcs' })
    const messageId = idOf(chat.send(hello))
    chat.applyOutcome(outcome)
    t.same(chat.conversation().deviceCapabilities, noCards)
    const { deviceCapabilities: abilities, rewriteCount: rewritten } = chat.outgoing(messageId)!
    const expected = 'isRewritten' in outcome ? [noCards, 1] : [undefined, undefined]
    t.same([abilities, rewritten], expected, 'and the message is what it was written for')
  }
})

t.test('An outcome without device capabilities changes no saved ones', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.send(hello)
  chat.applyOutcome({ kind: 'sent', providerIds: ['p1'] })
  t.notOk('deviceCapabilities' in chat.conversation())
  const messageId = idOf(chat.send(hello))
  chat.applyOutcome(
    { kind: 'sent', providerIds: ['p2'], deviceCapabilities: noCards, isRewritten: true },
    { messageId, attempt: 2 },
  )
  t.notOk('deviceCapabilities' in chat.conversation(), 'and that of an earlier try is old news')
})

t.test('A message with a piece already sent continues in the rendering of that piece', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  const messageId = idOf(chat.send(hello))
  const partly = { kind: 'refused', reason: 'sendFailed', retry: 'later', providerIds: ['p1'] } as const
  chat.applyOutcome({ ...partly, deviceCapabilities: noCards, isRewritten: true })
  t.match(chat.outgoing(messageId), { deviceCapabilities: noCards, rewriteCount: 1, providerIds: ['p1'] })
  chat.advance(limits.sendRetryMs[0]!)
  chat.fireTimer('send')
  chat.applyOutcome({ ...partly, deviceCapabilities: [], providerIds: ['p1', 'p2'] })
  t.match(chat.outgoing(messageId), { deviceCapabilities: noCards, rewriteCount: 1, providerIds: ['p1', 'p2'] })
  t.same(chat.conversation().deviceCapabilities, [], 'although more is known by then')
})

t.test('Capabilities from a refusal expire, and those reported by a person stay until the next report', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  chat.send(hello)
  chat.applyOutcome({ kind: 'sent', providerIds: ['p1'], deviceCapabilities: noCards, isRewritten: true })
  chat.advance(outreachSend.capabilityMs - 1)
  const within = idOf(chat.send(hello))
  t.same(chat.outgoing(within)?.deviceCapabilities, noCards)
  chat.sent()
  chat.advance(1)
  const after = idOf(chat.send(hello))
  t.equal(chat.outgoing(after)?.deviceCapabilities, undefined)
  t.notOk('deviceCapabilities' in chat.conversation() || 'deviceCapabilitiesUntil' in chat.conversation())
  const updated = withDeviceCapabilities(
    { ...chat.conversation(), deviceCapabilities: noCards, deviceCapabilitiesUntil: 1 },
    noCards,
  )
  t.same([updated.deviceCapabilities, updated.deviceCapabilitiesUntil], [noCards, undefined])
  t.equal(dropStale({ command: { at: Number.MAX_SAFE_INTEGER, mint: String, scaled: Number } }, updated), updated)
})

t.test('A retry of a send continues with the ids of its last rendering', async (t) => {
  const chat = createChat({ channel: 'rcs' })
  const opening = (attempt: number) => ({ message: hello, sendRef: { sendId: 'snd_1', attempt, isLast: false } })
  const messageId = idOf(chat.open(opening(1)))
  chat.applyOutcome({
    kind: 'refused',
    reason: 'sendFailed',
    retry: 'later',
    deviceCapabilities: noCards,
    isRewritten: true,
  })
  t.equal(idOf(chat.open(opening(2))), messageId)
  t.match(chat.outgoing(messageId), { deviceCapabilities: noCards, rewriteCount: 1 })
})

t.test('A person’s number reply refers to the rendering that was sent, not to the expected one', async (t) => {
  const chat = createChat({ channel: 'vendorMessages' })
  chat.receiveText('Hi')
  const answer = chat.send(question)
  const messageId = 'messageId' in answer ? answer.messageId : ''
  t.equal(chat.outgoing(messageId)?.numbered, undefined, 'they are known once the message is out')
  chat.applyOutcome({ kind: 'sent', providerIds: ['p1'], numbered: [0, 1, 2] })
  chat.events()
  chat.receiveText('2')
  t.match(chat.types(), [{ type: 'result', result: { optionIds: ['blue'], via: 'text' } }])
})
