/**
 * A whole conversation over the real HTTP surface: an agent with a webhook, a person on sms and on rcs, and the
 * emulator between.
 */
import t, { type Test } from 'tap'
import { waitUntil } from '../harness/clock.js'
import { startNode } from '../harness/process.js'
import { aml, type Envelope, json, noReply, TestAgent } from '../harness/testagent.js'

const address = '+15550100'
const traveller = '+15550177'

/** On both carrier channels, with the opt-out words answered on sms. */
async function createTestAgent(t: Test, name: string): Promise<TestAgent> {
  const testAgent = await TestAgent.open(t, node, name)
  for (const channel of ['rcs', 'sms']) await testAgent.bind(channel, { mode: 'managed', inputs: {} })
  await testAgent.change('sms', { compliance: { enabled: true } })
  return testAgent
}

const kinds = (events: readonly Envelope[]) =>
  events.map(({ event: { event } }) =>
    event.type === 'system' ? `system ${(event.system as { kind: string }).kind}` : event.type,
  )

const choice = (intentId: string) => ({
  spec: 'amf/1',
  parts: [
    {
      type: 'ask.choice',
      intentId,
      prompt: 'Which room?',
      options: [
        { id: 'r', label: 'Red room' },
        { id: 'b', label: 'Blue room' },
      ],
    },
  ],
})

const node = await startNode({ PARLEY_ALLOW_PRIVATE_URLS: 'true' })
t.teardown(() => node.clean())

t.test('A conversation on sms', async (t) => {
  const testAgent = await createTestAgent(t, 'Harbor Desk')

  t.test(
    'The conversation starts with the first text, and each event has the exact body of the contract',
    async (t) => {
      testAgent.replies(
        json({ messages: [{ spec: 'amf/1', parts: [{ type: 'text', text: 'Welcome to **Harbor**.' }] }] }),
      )
      await testAgent.phoneAct('sms', { text: 'Hi' }, address)
      const [started, message, ...statuses] = await testAgent.nextEvents(t, 3)
      t.same(kinds([started!, message!, ...statuses]), ['system conversationStarted', 'message', 'status'])
      const { userId } = message!
      t.match(userId, /^usr_[0-9a-z]{26}$/)
      t.notMatch(JSON.stringify([started, message]), /5550100/, 'the id does not reveal the number')
      const { eventId, timestamp, conversation } = message!.event
      t.match(eventId, /^evt_/)
      t.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 60_000)
      t.same(message, {
        spec: 'amf/1',
        instanceId: 'desk-1',
        userId,
        mode: 'webhook',
        event: {
          spec: 'amf/1',
          eventId,
          timestamp,
          conversation: { userId, sessionId: conversation.sessionId },
          context: {
            channel: 'sms',
            provider: 'emulator',
            capabilities: message!.event.context.capabilities,
            window: { state: 'open' },
          },
          event: { type: 'message', message: { text: 'Hi' } },
        },
      })
      t.same((await testAgent.call('GET', `/capabilities?userId=${userId}`)).body, message!.event.context.capabilities)
      const [disclaimer, welcome] = await testAgent.nextShownMessages(2)
      t.match(disclaimer!.wire.block.text, /^Harbor Desk: Msg & data rates may apply/)
      t.match(welcome!.wire.block, { kind: 'text', text: 'Welcome to Harbor.' })
      const { messageId } = statuses[0]!.event.event.status as { messageId: string }
      t.same(statuses[0]!.event.event, {
        type: 'status',
        status: { messageId, state: 'sent', attempt: { channel: 'sms', provider: 'emulator' } },
      })
    },
  )

  t.test('A choice is answered by number, by label, and by an ambiguous reply', async (t) => {
    testAgent.replies(json({ messages: [choice('first')] }), noReply, json({ messages: [choice('second')] }), noReply)
    await testAgent.phoneAct('sms', { text: 'book' }, address)
    await testAgent.nextEvents(t, 2)
    t.same(await testAgent.nextTexts(1), ['Which room?\n1. Red room\n2. Blue room\nReply with a number to choose.'])
    await testAgent.phoneAct('sms', { text: 'red room or blue room?' }, address)
    t.match((await testAgent.nextEvents(t, 1))[0]!.event.event, { type: 'message' })
    await testAgent.phoneAct('sms', { text: '2' }, address)
    t.same((await testAgent.nextEvents(t, 1))[0]!.event.event, {
      type: 'result',
      result: {
        intent: 'ask.choice',
        intentId: 'first',
        optionIds: ['b'],
        labels: ['Blue room'],
        via: 'text',
        text: '2',
      },
    })
    await testAgent.nextEvents(t, 1)
    await testAgent.nextShownMessages(1)
    await testAgent.phoneAct('sms', { text: 'the red room please' }, address)
    t.match((await testAgent.nextEvents(t, 1))[0]!.event.event, { result: { intentId: 'second', optionIds: ['r'] } })
  })

  t.test('A confirmation is answered by YES and NO, and a time slot is chosen', async (t) => {
    testAgent.replies(
      aml('[[confirm #sure | Book it?\nRoom: Blue room\n]]'),
      aml(
        '[[ask.time #when | When?\nmorning = 2027-03-01T09:00:00-05:00 ~ Morning\nevening = 2027-03-01T18:00:00-05:00 ~ Evening\n]]',
      ),
      noReply,
    )
    await testAgent.phoneAct('sms', { text: 'go on' }, address)
    await testAgent.nextEvents(t, 2)
    t.same(await testAgent.nextTexts(1), ['Book it?\nRoom: Blue room\nReply YES to confirm or NO to decline.'])
    await testAgent.phoneAct('sms', { text: 'yes' }, address)
    t.match((await testAgent.nextEvents(t, 1))[0]!.event.event, {
      type: 'result',
      result: { intent: 'confirm', intentId: 'sure', optionIds: ['yes'], via: 'text', text: 'yes' },
    })
    await testAgent.nextEvents(t, 1)
    t.match(await testAgent.nextTexts(1), [/^When\?\n1\. Morning.*\n2\. Evening/])
    await testAgent.phoneAct('sms', { text: 'evening' }, address)
    t.match((await testAgent.nextEvents(t, 1))[0]!.event.event, {
      type: 'result',
      result: { intent: 'ask.time', intentId: 'when', optionIds: ['evening'], labels: ['Evening'] },
    })
  })

  t.test('STOP opts out, a send is refused, HELP is answered, and START opts in', async (t) => {
    await testAgent.phoneAct('sms', { text: 'STOP' }, address)
    const [out] = await testAgent.nextEvents(t, 1)
    t.same(out!.event.event, { type: 'system', system: { kind: 'optOut' } })
    t.match(await testAgent.nextTexts(1), [/^Harbor Desk: You are unsubscribed/])
    t.same(await testAgent.send(out!.userId, { spec: 'amf/1', parts: [{ type: 'text', text: 'one more' }] }), [
      { messageId: '', accepted: false, reason: 'optedOut' },
    ])
    await testAgent.phoneAct('sms', { text: 'help' }, address)
    t.match(await testAgent.nextTexts(1), [/^Harbor Desk: Contact us: \+15550199/])
    testAgent.replies(json({ messages: [{ spec: 'amf/1', parts: [{ type: 'text', text: 'dropped' }] }] }))
    await testAgent.phoneAct('sms', { text: 'are you there?' }, address)
    t.match((await testAgent.nextEvents(t, 1))[0]!.event.event, { type: 'message' })
    await testAgent.phoneAct('sms', { text: 'START' }, address)
    t.same((await testAgent.nextEvents(t, 1))[0]!.event.event, { type: 'system', system: { kind: 'optIn' } })
    t.match(
      await testAgent.nextTexts(1),
      [/^Harbor Desk: You will get messages again/],
      'and no message was sent in between',
    )
    const [sent] = await testAgent.send(out!.userId, {
      spec: 'amf/1',
      id: 'mine',
      parts: [{ type: 'text', text: 'back' }],
    })
    t.match(sent, { accepted: true })
    t.same(await testAgent.send(out!.userId, { spec: 'amf/1', id: 'mine', parts: [{ type: 'text', text: 'back' }] }), [
      sent,
    ])
    t.same(await testAgent.nextTexts(1), ['back'])
    await testAgent.nextEvents(t, 1)
  })

  t.test('Each receipt state is reported once', async (t) => {
    const [, message] = [null, (await testAgent.call('GET', '/webhook')).body]
    t.match(message, { instanceId: 'desk-1' })
    testAgent.replies(json({ messages: [{ spec: 'amf/1', parts: [{ type: 'text', text: 'tracked' }] }] }))
    await testAgent.phoneAct('sms', { text: 'track' }, address)
    await testAgent.nextEvents(t, 2)
    const [shownMessage] = await testAgent.nextShownMessages(1)
    for (const state of ['delivered', 'delivered', 'sent']) {
      await testAgent.phoneAct('sms', { receipt: { messageId: shownMessage!.providerId, state } }, address)
    }
    await testAgent.phoneAct('sms', { text: 'seen?' }, address)
    const [delivered, after] = await testAgent.nextEvents(t, 2)
    t.match(delivered!.event.event, { type: 'status', status: { state: 'delivered' } })
    t.equal(after!.event.event.type, 'message', 'and only that')
  })
  t.end()
})

t.test('A conversation on rcs', async (t) => {
  const testAgent = await createTestAgent(t, 'Harbor Bell')

  t.test('A choice is answered by a tap, and a stale tap answers its own question', async (t) => {
    testAgent.replies(json({ messages: [choice('first')] }), json({ messages: [choice('second')] }), noReply)
    await testAgent.phoneAct('rcs', { text: 'book' }, traveller)
    await testAgent.nextEvents(t, 3)
    const [first] = await testAgent.nextShownMessages(1)
    t.match(first!.wire.block.chips, [{ label: 'Red room' }, { label: 'Blue room' }])
    await testAgent.phoneAct('rcs', { postback: first!.wire.block.chips![0]!.postback }, traveller)
    t.same((await testAgent.nextEvents(t, 1))[0]!.event.event, {
      type: 'result',
      result: { intent: 'ask.choice', intentId: 'first', optionIds: ['r'], labels: ['Red room'], via: 'tap' },
    })
    await testAgent.nextEvents(t, 1)
    await testAgent.nextShownMessages(1)
    await testAgent.phoneAct('rcs', { postback: first!.wire.block.chips![1]!.postback }, traveller)
    t.match((await testAgent.nextEvents(t, 1))[0]!.event.event, { result: { intentId: 'first', optionIds: ['b'] } })
  })

  t.test('A phone without rcs gets the message on sms, and its states say so', async (t) => {
    const message = { spec: 'amf/1', delivery: { channels: ['rcs', 'sms'], fallbackOn: ['sendFailed'] } }
    const path = `/system/emulator/bindings/${testAgent.bindings.rcs}/refusal`
    await testAgent.manage('PUT', path, { address: traveller, refusal: { reason: 'sendFailed', again: 'elsewhere' } })
    const person = testAgent.lastPerson()
    const [sent] = await testAgent.send(person, { ...message, parts: [{ type: 'text', text: 'Either way' }] })
    t.match(sent, { accepted: true })
    const [disclaimer, shownMessage] = await testAgent.nextShownMessages(2)
    t.match(disclaimer!.wire.block.text, /Msg & data rates/, 'the relationship on sms begins')
    t.match(shownMessage, {
      bindingId: testAgent.bindings.sms,
      address: traveller,
      wire: { block: { text: 'Either way' } },
    })
    t.same((await testAgent.nextEvents(t, 1))[0]!.event.event, {
      type: 'status',
      status: { messageId: sent!.messageId, state: 'sent', attempt: { channel: 'sms', provider: 'emulator' } },
    })
    await testAgent.phoneAct('sms', { receipt: { messageId: shownMessage!.providerId, state: 'delivered' } }, traveller)
    t.match((await testAgent.nextEvents(t, 1))[0]!.event, {
      conversation: { userId: person },
      event: { status: { messageId: sent!.messageId, state: 'delivered', attempt: { channel: 'sms' } } },
    })
    await testAgent.manage('PUT', path, { address: traveller, refusal: null })
  })

  t.test('A streamed reply is sent line by line, each before the next arrives', async (t) => {
    let finish = () => {}
    testAgent.replies((response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      const line = (text: string) =>
        response.write(`${JSON.stringify({ message: { spec: 'amf/1', parts: [{ type: 'text', text }] } })}\n`)
      line('first line')
      finish = () => {
        line('second line')
        response.end()
      }
    })
    await testAgent.phoneAct('rcs', { text: 'tell me' }, traveller)
    t.same(await testAgent.nextTexts(1), ['first line'])
    finish()
    t.same(await testAgent.nextTexts(1), ['second line'])
    await testAgent.nextEvents(t, 3)
  })

  t.test('An invalid reply is a dead letter that can be replayed', async (t) => {
    testAgent.replies(
      json({ messages: [{ spec: 'amf/1', parts: [{ type: 'text', text: 'x', colour: 'red' }] }] }),
      noReply,
    )
    await testAgent.phoneAct('rcs', { text: 'wrong' }, traveller)
    const [event] = await testAgent.nextEvents(t, 1)
    const path = '/orgs/demo/agents/harbor-bell/gateway/dead-letters'
    let letters: { id: string; why: string; eventId: string }[] = []
    await waitUntil(async () => {
      letters = (await testAgent.manage('GET', path)).data
      return letters.length > 0
    })
    t.match(letters, [{ why: /messages\[0\]\.parts\[0\]\.colour/, eventId: event!.event.eventId }])
    await testAgent.manage('POST', `${path}/${letters[0]!.id}/_replay`)
    t.equal((await testAgent.nextEvents(t, 1))[0]!.event.eventId, event!.event.eventId, 'under the same id')
    await waitUntil(async () => (await testAgent.manage('GET', path)).data.length === 0)
  })
  t.end()
})

t.test('Channels that identify people by number fail over to each other', async (t) => {
  const testAgent = await TestAgent.open(t, node, 'Harbor Quay')
  for (const channel of ['messengerA', 'sms'])
    await testAgent.bind(channel, { mode: 'unmanaged', provider: 'emulator', auth: {} })
  const phone = '+14155550177'
  await testAgent.phoneAct('messengerA', { text: 'hello' }, phone.slice(1))
  await testAgent.nextContentEvents(t, 3)
  const person = testAgent.lastPerson()
  const delivery = { channels: ['messengerA', 'sms'], fallbackOn: ['sendFailed'] }
  const path = `/system/emulator/bindings/${testAgent.bindings.messengerA}/refusal`
  const refusal = { reason: 'sendFailed', again: 'elsewhere' }
  await testAgent.manage('PUT', path, { address: phone.slice(1), refusal })
  await testAgent.send(person, { spec: 'amf/1', delivery, parts: [{ type: 'text', text: 'Either way' }] })
  t.match(await testAgent.nextShownMessages(1), [
    { bindingId: testAgent.bindings.sms, address: phone, wire: { block: { text: 'Either way' } } },
  ])
})
