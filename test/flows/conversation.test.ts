/** A whole conversation over the real HTTP surface: an agent with a webhook, a person on sms and on rcs, and the emulator between. */
import t, { type Test } from 'tap'
import { until } from '../harness/clock.js'
import { aml, Desk, type Envelope, json, nothing } from '../harness/desk.js'
import { startNode } from '../harness/process.js'

const address = '+15550100'
const traveller = '+15550177'

/** On both carrier channels, with the opt-out words answered on sms. */
async function openDesk(t: Test, name: string): Promise<Desk> {
  const desk = await Desk.open(t, node, name)
  for (const channel of ['rcs', 'sms']) await desk.bind(channel, { mode: 'managed', inputs: {} })
  await desk.change('sms', { compliance: { enabled: true } })
  return desk
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
  const desk = await openDesk(t, 'Harbor Desk')

  t.test('starts with the first text, and each event has the exact body of the contract', async (t) => {
    desk.replies(json({ messages: [{ spec: 'amf/1', parts: [{ type: 'text', text: 'Welcome to **Harbor**.' }] }] }))
    await desk.acts('sms', { text: 'Hi' }, address)
    const [started, message, ...statuses] = await desk.events(t, 3)
    t.same(kinds([started!, message!, ...statuses]), ['system conversationStarted', 'message', 'status'])
    const { userId } = message!
    t.match(userId, /^usr_[0-9a-z]{26}$/)
    t.notMatch(JSON.stringify([started, message]), /5550100/, 'nobody reads the number from it')
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
    t.same((await desk.call('GET', `/capabilities?userId=${userId}`)).body, message!.event.context.capabilities)
    const [disclaimer, welcome] = await desk.shown(2)
    t.match(disclaimer!.wire.block.text, /^Harbor Desk: Msg & data rates may apply/)
    t.match(welcome!.wire.block, { kind: 'text', text: 'Welcome to Harbor.' })
    const { messageId } = statuses[0]!.event.event.status as { messageId: string }
    t.same(statuses[0]!.event.event, {
      type: 'status',
      status: { messageId, state: 'sent', attempt: { channel: 'sms', provider: 'emulator' } },
    })
  })

  t.test('an answer by number, by label, and one that could be either', async (t) => {
    desk.replies(json({ messages: [choice('first')] }), nothing, json({ messages: [choice('second')] }), nothing)
    await desk.acts('sms', { text: 'book' }, address)
    await desk.events(t, 2)
    t.same(await desk.texts(1), ['Which room?\n1. Red room\n2. Blue room\nReply with a number to choose.'])
    await desk.acts('sms', { text: 'red room or blue room?' }, address)
    t.match((await desk.events(t, 1))[0]!.event.event, { type: 'message' })
    await desk.acts('sms', { text: '2' }, address)
    t.same((await desk.events(t, 1))[0]!.event.event, {
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
    await desk.events(t, 1)
    await desk.shown(1)
    await desk.acts('sms', { text: 'the red room please' }, address)
    t.match((await desk.events(t, 1))[0]!.event.event, { result: { intentId: 'second', optionIds: ['r'] } })
  })

  t.test('a confirmation by YES and NO, and a time slot', async (t) => {
    desk.replies(
      aml('[[confirm #sure | Book it?\nRoom: Blue room\n]]'),
      aml(
        '[[ask.time #when | When?\nmorning = 2027-03-01T09:00:00-05:00 ~ Morning\nevening = 2027-03-01T18:00:00-05:00 ~ Evening\n]]',
      ),
      nothing,
    )
    await desk.acts('sms', { text: 'go on' }, address)
    await desk.events(t, 2)
    t.same(await desk.texts(1), ['Book it?\nRoom: Blue room\nReply YES to confirm or NO to decline.'])
    await desk.acts('sms', { text: 'yes' }, address)
    t.match((await desk.events(t, 1))[0]!.event.event, {
      type: 'result',
      result: { intent: 'confirm', intentId: 'sure', optionIds: ['yes'], via: 'text', text: 'yes' },
    })
    await desk.events(t, 1)
    t.match(await desk.texts(1), [/^When\?\n1\. Morning.*\n2\. Evening/])
    await desk.acts('sms', { text: 'evening' }, address)
    t.match((await desk.events(t, 1))[0]!.event.event, {
      type: 'result',
      result: { intent: 'ask.time', intentId: 'when', optionIds: ['evening'], labels: ['Evening'] },
    })
  })

  t.test('STOP, a refused send, HELP, and START', async (t) => {
    await desk.acts('sms', { text: 'STOP' }, address)
    const [out] = await desk.events(t, 1)
    t.same(out!.event.event, { type: 'system', system: { kind: 'optOut' } })
    t.match(await desk.texts(1), [/^Harbor Desk: You are unsubscribed/])
    t.same(await desk.send(out!.userId, { spec: 'amf/1', parts: [{ type: 'text', text: 'one more' }] }), [
      { messageId: '', accepted: false, reason: 'optedOut' },
    ])
    await desk.acts('sms', { text: 'help' }, address)
    t.match(await desk.texts(1), [/^Harbor Desk: Contact us: \+15550199/])
    desk.replies(json({ messages: [{ spec: 'amf/1', parts: [{ type: 'text', text: 'dropped' }] }] }))
    await desk.acts('sms', { text: 'are you there?' }, address)
    t.match((await desk.events(t, 1))[0]!.event.event, { type: 'message' })
    await desk.acts('sms', { text: 'START' }, address)
    t.same((await desk.events(t, 1))[0]!.event.event, { type: 'system', system: { kind: 'optIn' } })
    t.match(await desk.texts(1), [/^Harbor Desk: You will get messages again/], 'and nothing was sent in between')
    const [sent] = await desk.send(out!.userId, { spec: 'amf/1', id: 'mine', parts: [{ type: 'text', text: 'back' }] })
    t.match(sent, { accepted: true })
    t.same(await desk.send(out!.userId, { spec: 'amf/1', id: 'mine', parts: [{ type: 'text', text: 'back' }] }), [sent])
    t.same(await desk.texts(1), ['back'])
    await desk.events(t, 1)
  })

  t.test('receipts, each state once', async (t) => {
    const [, message] = [null, (await desk.call('GET', '/webhook')).body]
    t.match(message, { instanceId: 'desk-1' })
    desk.replies(json({ messages: [{ spec: 'amf/1', parts: [{ type: 'text', text: 'tracked' }] }] }))
    await desk.acts('sms', { text: 'track' }, address)
    await desk.events(t, 2)
    const [shown] = await desk.shown(1)
    for (const state of ['delivered', 'delivered', 'sent']) {
      await desk.acts('sms', { receipt: { messageId: shown!.providerId, state } }, address)
    }
    await desk.acts('sms', { text: 'seen?' }, address)
    const [delivered, after] = await desk.events(t, 2)
    t.match(delivered!.event.event, { type: 'status', status: { state: 'delivered' } })
    t.equal(after!.event.event.type, 'message', 'and only that')
  })
  t.end()
})

t.test('A conversation on rcs', async (t) => {
  const desk = await openDesk(t, 'Harbor Bell')

  t.test('a choice by tap, and a stale tap that answers its own question', async (t) => {
    desk.replies(json({ messages: [choice('first')] }), json({ messages: [choice('second')] }), nothing)
    await desk.acts('rcs', { text: 'book' }, traveller)
    await desk.events(t, 3)
    const [first] = await desk.shown(1)
    t.match(first!.wire.block.chips, [{ label: 'Red room' }, { label: 'Blue room' }])
    await desk.acts('rcs', { postback: first!.wire.block.chips![0]!.postback }, traveller)
    t.same((await desk.events(t, 1))[0]!.event.event, {
      type: 'result',
      result: { intent: 'ask.choice', intentId: 'first', optionIds: ['r'], labels: ['Red room'], via: 'tap' },
    })
    await desk.events(t, 1)
    await desk.shown(1)
    await desk.acts('rcs', { postback: first!.wire.block.chips![1]!.postback }, traveller)
    t.match((await desk.events(t, 1))[0]!.event.event, { result: { intentId: 'first', optionIds: ['b'] } })
  })

  t.test('a phone without rcs gets the message on sms, and its states say so', async (t) => {
    const message = { spec: 'amf/1', delivery: { channels: ['rcs', 'sms'], fallbackOn: ['sendFailed'] } }
    const path = `/system/emulator/bindings/${desk.bindings.rcs}/refusal`
    await desk.manage('PUT', path, { address: traveller, refusal: { reason: 'sendFailed', again: 'elsewhere' } })
    const person = desk.lastPerson()
    const [sent] = await desk.send(person, { ...message, parts: [{ type: 'text', text: 'Either way' }] })
    t.match(sent, { accepted: true })
    const [disclaimer, shown] = await desk.shown(2)
    t.match(disclaimer!.wire.block.text, /Msg & data rates/, 'the relationship on sms begins')
    t.match(shown, { bindingId: desk.bindings.sms, address: traveller, wire: { block: { text: 'Either way' } } })
    t.same((await desk.events(t, 1))[0]!.event.event, {
      type: 'status',
      status: { messageId: sent!.messageId, state: 'sent', attempt: { channel: 'sms', provider: 'emulator' } },
    })
    await desk.acts('sms', { receipt: { messageId: shown!.providerId, state: 'delivered' } }, traveller)
    t.match((await desk.events(t, 1))[0]!.event, {
      conversation: { userId: person },
      event: { status: { messageId: sent!.messageId, state: 'delivered', attempt: { channel: 'sms' } } },
    })
    await desk.manage('PUT', path, { address: traveller, refusal: null })
  })

  t.test('a reply line by line, each on its way before the next arrives', async (t) => {
    let finish = () => {}
    desk.replies((response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      const line = (text: string) =>
        response.write(`${JSON.stringify({ message: { spec: 'amf/1', parts: [{ type: 'text', text }] } })}\n`)
      line('first line')
      finish = () => {
        line('second line')
        response.end()
      }
    })
    await desk.acts('rcs', { text: 'tell me' }, traveller)
    t.same(await desk.texts(1), ['first line'])
    finish()
    t.same(await desk.texts(1), ['second line'])
    await desk.events(t, 3)
  })

  t.test('a reply that does not validate is a dead letter that can be sent again', async (t) => {
    desk.replies(json({ messages: [{ spec: 'amf/1', parts: [{ type: 'text', text: 'x', colour: 'red' }] }] }), nothing)
    await desk.acts('rcs', { text: 'wrong' }, traveller)
    const [event] = await desk.events(t, 1)
    const path = '/orgs/demo/agents/harbor-bell/gateway/dead-letters'
    let letters: { id: string; why: string; eventId: string }[] = []
    await until(async () => {
      letters = (await desk.manage('GET', path)).data
      return letters.length > 0
    })
    t.match(letters, [{ why: /messages\[0\]\.parts\[0\]\.colour/, eventId: event!.event.eventId }])
    await desk.manage('POST', `${path}/${letters[0]!.id}/_replay`)
    t.equal((await desk.events(t, 1))[0]!.event.eventId, event!.event.eventId, 'under the same id')
    await until(async () => (await desk.manage('GET', path)).data.length === 0)
  })
  t.end()
})

t.test('Channels that know people by their numbers stand in for each other', async (t) => {
  const desk = await Desk.open(t, node, 'Harbor Quay')
  for (const channel of ['messengerA', 'sms'])
    await desk.bind(channel, { mode: 'unmanaged', provider: 'emulator', auth: {} })
  const phone = '+14155550177'
  await desk.acts('messengerA', { text: 'hello' }, phone.slice(1))
  await desk.heard(t, 3)
  const person = desk.lastPerson()
  const delivery = { channels: ['messengerA', 'sms'], fallbackOn: ['sendFailed'] }
  const path = `/system/emulator/bindings/${desk.bindings.messengerA}/refusal`
  const refusal = { reason: 'sendFailed', again: 'elsewhere' }
  await desk.manage('PUT', path, { address: phone.slice(1), refusal })
  await desk.send(person, { spec: 'amf/1', delivery, parts: [{ type: 'text', text: 'Either way' }] })
  t.match(await desk.shown(1), [
    { bindingId: desk.bindings.sms, address: phone, wire: { block: { text: 'Either way' } } },
  ])
})
