/** One conversation on each channel over the real adapters, each against its emulated provider, with faults on. */
import t, { type Test } from 'tap'
import type { ChannelProviderName, EmulatorContext } from '../../adapters/emulator/contract.js'
import { httpProviders } from '../../adapters/emulator/providers.js'
import { EmulatedAccount } from '../harness/account.js'
import { waitUntil } from '../harness/clock.js'
import { startNode } from '../harness/process.js'
import { json, type Status, TestAgent } from '../harness/testagent.js'
import {
  answerOrigin,
  card,
  choice,
  confirm,
  ProviderConversation,
  systemEvent,
  textMessage,
} from './providerconversation.js'
import { numbered, providerRows, signatureHeaders } from './providertable.js'

// A provider that never answers is given up after many seconds, whatever the scale of time is; all of them at once.
t.setTimeout(240_000)
t.jobs = Object.keys(providerRows).length
const node = await startNode({ PARLEY_EMULATOR: 'true', PARLEY_TIME_SCALE: '10' })
t.teardown(() => node.clean())

const names = Object.keys(providerRows) as ChannelProviderName[]
const openConversations = await Promise.all(names.map((provider) => ProviderConversation.open(t, node, provider)))

/**
 * A look around opens all lines that are wanted: once that of a binding which was made later is up, so are the others.
 */
async function waitForConnections(t: Test): Promise<void> {
  const { account } = await ProviderConversation.open(t, node, 'smpp', 'Scout')
  let tries = 0
  await waitUntil(async () => ++tries % 20 === 0 && (await account.act({ kind: 'text', text: 'Is this thing on?' })))
}

/** All at once: most of the time goes by in waiting for providers. */
const conversations: PromiseLike<unknown>[] = []
for (const providerConversation of openConversations) {
  const { provider, row, testAgent, account } = providerConversation
  const { channel } = row

  const delivered = t.test(`A conversation on ${channel} over ${provider}`, { buffered: true }, async (t) => {
    t.test(
      'The conversation begins with the person’s message, and a choice is offered in the channel’s form',
      async (t) => {
        t.equal(await account.greet(), row.greets ? 'taken' : 'none')
        if (row.hasConnection) await waitForConnections(t)
        const end = await account.injectFaults({ kind: 'duplicateReceipts' })
        testAgent.replies(json({ messages: [choice] }))
        await account.act({ kind: 'text', text: 'Hi' })
        const events = await testAgent.nextContentEvents(t, row.hasWindow ? 3 : 2)
        const message = events.at(-1)!
        const { userId, event } = message
        providerConversation.person = userId
        t.same(
          events.map((each) => each.event.event),
          [
            systemEvent('conversationStarted'),
            ...(row.hasWindow ? [systemEvent('windowChanged')] : []),
            { type: 'message', message: { text: 'Hi' } },
          ],
        )
        const { eventId, timestamp, conversation, context } = event
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
            context: { ...providerConversation.attempt, capabilities: context.capabilities, window: context.window },
            event: { type: 'message', message: { text: 'Hi' } },
          },
        })
        t.equal(context.window.state, 'open')
        await waitUntil(() => testAgent.statuses().length > 0)
        const [{ messageId }] = testAgent.statuses() as [Status]
        await providerConversation.expectStates(t, messageId, row.receiptStates)
        const [offered, ...others] = await account.sent()
        t.same(
          row.offerIn(offered!.body),
          row.offer((optionIndex) => `p1.${messageId}.${optionIndex}`),
        )
        t.same(others, [])
        await end()
      },
    )

    t.test('The conversation continues with the answer, typed or tapped, as a result', async (t) => {
      await account.act(row.pick)
      const result = { intent: 'ask.choice', intentId: 'room', optionIds: ['green'], labels: ['Green room'] }
      await providerConversation.expectEvents(t, { type: 'result', result: { ...result, ...answerOrigin(row.pick) } })
      await providerConversation.sendWithFaults(t, confirm, { kind: 'receiptFirst' })
      await account.act(row.agree)
      const agreed = { intent: 'confirm', intentId: 'sure', optionIds: ['yes'], labels: ['Yes'] }
      await providerConversation.expectEvents(t, { type: 'result', result: { ...agreed, ...answerOrigin(row.agree) } })
    })

    t.test('Each message is sent once, for any receipts and any first response of the provider', async (t) => {
      await providerConversation.sendWithFaults(t, card, { kind: 'reorderedReceipts' }, { kind: 'duplicateReceipts' })
      await providerConversation.sendWithFaults(
        t,
        textMessage('Late news'),
        { kind: 'lateReceipts', ms: 1_000 },
        { kind: 'latency', ms: 500 },
      )
      await providerConversation.sendWithFaults(t, textMessage('Little news'), {
        kind: 'missingReceipts',
        states: ['delivered'],
      })
      if (row.hasConnection)
        await providerConversation.sendWithFaults(t, textMessage('Other digits'), { kind: 'decimalReceiptIds' })
      await providerConversation.sendWithFaults(t, textMessage('Too many'), {
        kind: 'rateLimited',
        retryAfterSeconds: 1,
        times: 2,
      })
      await providerConversation.sendWithFaults(t, textMessage('Out of order'), {
        kind: 'serverError',
        status: 503,
        times: 2,
      })
      await providerConversation.sendWithFaults(t, textMessage('Cut off'), { kind: 'reset', times: 1 })
      const once = ['Faces the harbor', 'Late news', 'Little news', 'Too many', 'Out of order', 'Cut off']
      for (const text of once) t.equal((await account.sentContaining(text)).length, 1, text)
    })

    t.test('Messages accepted without an answer are not lost', async (t) => {
      await providerConversation.sendWithFaults(t, textMessage('Never answered'), { kind: 'noAnswer', times: 1 })
      t.equal((await account.sentContaining('Never answered')).length, row.knowsIds ? 1 : 2)
    })

    t.test('Messages wait for the operator when credentials are refused, and continue with new ones', async (t) => {
      const { auth } = account.account
      // A line that is bound stays so: there, credentials are refused when it is bound again.
      const end = row.hasConnection ? undefined : await account.injectFaults({ kind: 'unauthorized' })
      if (row.hasConnection) await testAgent.change(channel, { auth: { ...auth, password: 'another' } })
      const messageId = await providerConversation.sendAccepted(textMessage('Who are you?'))
      await waitUntil(async () => (await testAgent.binding(channel)).status === 'ActionRequired')
      const wayOut = 'Put it right with the provider, then enter the credentials again.'
      t.equal((await testAgent.binding(channel)).statusDetail, `${row.unauthorized} ${wayOut}`)
      await providerConversation.expectRefusal(t, 'bindingNotReady')
      await waitUntil(() => providerConversation.statuses(messageId).length > 0)
      const waits = { reason: 'bindingNotReady', detail: row.unauthorized }
      t.same(providerConversation.statuses(messageId), [
        { messageId, state: 'queued', attempt: providerConversation.attempt, ...waits },
      ])
      if (!row.hasConnection) {
        await account.act({ kind: 'text', text: 'Are you there?' })
        await providerConversation.expectEvents(t, { type: 'message', message: { text: 'Are you there?' } })
      }
      await end?.()
      t.match(await testAgent.change(channel, { auth }), { status: 'Active' })
      const isOut = () =>
        ['sent', ...row.receiptStates].every((each) =>
          providerConversation.statuses(messageId).some(({ state }) => state === each),
        )
      await waitUntil(isOut)
      await providerConversation.sendWithFaults(t, textMessage('It is us again'))
      t.equal((await account.sentContaining('Who are you?')).length, 1, 'messages accepted before are sent once')
    })

    t.test('An unreachable person is reported with the reason', async (t) => {
      const { kind, isReported, optsOut, ...why } = row.lost
      const end = await account.injectFaults({ kind })
      await providerConversation.expectFailure(t, textMessage('Are you there?'), why, isReported ? ['sent'] : [])
      if (optsOut) {
        await providerConversation.expectEvents(t, systemEvent('optOut'))
        await providerConversation.expectRefusal(t, 'optedOut')
      }
      await end()
      if (optsOut && row.leaving) {
        await account.act(row.leaving.comeBack)
        await providerConversation.expectEvents(t, ...row.leaving.back.map(systemEvent))
      } else if (optsOut) {
        await account.act({ kind: 'text', text: 'Here I am' })
        await providerConversation.expectEvents(t, systemEvent('optIn'), {
          type: 'message',
          message: { text: 'Here I am' },
        })
      }
      await providerConversation.sendWithFaults(t, textMessage('There you are'))
    })

    const { leaving } = row
    if (leaving) {
      t.test('The conversation ends when the person leaves: they get no message until they are back', async (t) => {
        const before = (await account.sent()).length
        await account.act(leaving.leave)
        await providerConversation.expectEvents(t, ...leaving.optOutEvents.map(systemEvent))
        await providerConversation.expectRefusal(t, 'optedOut')
        const { comeBack, isByWriting } = leaving
        const textEvent = (text: string) => ({ type: 'message', message: { text } })
        if (!isByWriting) {
          testAgent.replies(json({ messages: [textMessage('Unasked for')] }))
          await account.act({ kind: 'text', text: 'Still there?' })
          await providerConversation.expectEvents(t, textEvent('Still there?'))
        }
        await account.act(comeBack)
        await providerConversation.expectEvents(
          t,
          ...leaving.back.map(systemEvent),
          ...(isByWriting ? [textEvent(comeBack.text)] : []),
        )
        await providerConversation.sendWithFaults(t, textMessage('Welcome back'))
        const after = (await account.sent()).slice(before)
        t.equal(after.length, 1)
        t.match(JSON.stringify(after), /Welcome back/)
      })
    }

    t.test('Each state of each message is reported once, and no impossible one', async (t) => {
      const statuses = testAgent.statuses()
      const keys = statuses.map(({ messageId, state }) => `${messageId} ${state}`)
      t.same(keys, [...new Set(keys)])
      for (const messageId of new Set(statuses.map((each) => each.messageId))) {
        const all = providerConversation.statuses(messageId).map(({ state }) => state)
        const states = all[0] === 'queued' ? all.slice(1) : all
        const isFailed = states.includes('failed')
        const possible = isFailed ? ['sent', 'failed'] : ['sent', ...row.receiptStates]
        t.ok(
          states.every((state) => possible.includes(state)),
          states.join(' '),
        )
        t.equal(states.indexOf('sent'), isFailed && states.length === 1 ? -1 : 0)
      }
    })
    t.end()
  })
  conversations.push(delivered)
}

t.test(
  'A phone without rcs gets its messages on sms, if their sender allows failover',
  { buffered: true },
  async (t) => {
    const providerConversation = await ProviderConversation.open(t, node, 'rbm', 'Harbor Relay')
    const { testAgent, account } = providerConversation
    const sms = await EmulatedAccount.open(testAgent, 'twilio', 'sms', account.address)
    await account.act({ kind: 'text', text: 'Hi' })
    providerConversation.person = (await testAgent.nextContentEvents(t, 2))[1]!.userId
    const end = await account.injectFaults({ kind: 'unreachable' }, { kind: 'missingReceipts' })
    await sms.injectFaults({ kind: 'duplicateReceipts' }, { kind: 'reorderedReceipts' })
    const delivery = { channels: ['rcs', 'sms'], fallbackOn: ['sendFailed'] }
    const messageId = await providerConversation.sendAccepted(textMessage('Either way', { delivery }))
    await waitUntil(() => providerConversation.statuses(messageId).length === 2)
    const attempt = { channel: 'sms', provider: 'twilio' }
    const inOrder = providerConversation.statuses(messageId).sort((a, b) => (a.state < b.state ? 1 : -1))
    t.same(inOrder, [
      { messageId, state: 'sent', attempt },
      { messageId, state: 'delivered', attempt },
    ])
    const { kind: _kind, ...why } = providerRows.rbm.lost
    await providerConversation.expectFailure(
      t,
      textMessage('This way only', { delivery: { ...delivery, fallbackOn: [] } }),
      why,
    )
    t.same(await account.sent(), [], 'no message reached the phone on rcs')
    const { Body, To } = (await sms.sent())[0]!.body as Record<string, string>
    t.same({ Body, To, count: (await sms.sent()).length }, { Body: 'Either way', To: account.address, count: 1 })
    await end()
    t.equal(providerConversation.statuses(messageId).length, 2, 'each state once')
  },
)

t.test(
  'A person who switches to a device without lists gets numbered options from then on',
  { buffered: true },
  async (t) => {
    const providerConversation = await ProviderConversation.open(t, node, 'apple', 'Harbor Devices')
    const { testAgent, account } = providerConversation
    const capabilityEvent = (level: string) => ({
      event: { context: { capabilities: { parts: { 'ask.choice': level } } } },
    })
    await account.act({ kind: 'text', text: 'Hi' })
    const [, first] = await testAgent.nextContentEvents(t, 2)
    providerConversation.person = first!.userId
    t.match(first, capabilityEvent('native'))
    await providerConversation.sendWithFaults(t, choice)
    await account.act({ kind: 'device', abilities: ['TIME'] })
    await account.act({ kind: 'text', text: 'It is me, elsewhere' })
    t.match((await testAgent.nextContentEvents(t, 1))[0], capabilityEvent('text'))
    await providerConversation.sendWithFaults(t, choice)
    const [list, lines] = (await account.sent()).map(({ body }) => body as Readonly<Record<string, unknown>>)
    t.equal(list?.type, 'interactive')
    t.match(lines, { type: 'text', body: numbered })
    await account.act({ kind: 'text', text: '3' })
    t.match((await testAgent.nextContentEvents(t, 1))[0]!.event.event, {
      type: 'result',
      result: { optionIds: ['green'], via: 'text' },
    })
  },
)

t.test('A conversation on aiChatE over emulator', { buffered: true }, async (t) => {
  const testAgent = await TestAgent.open(t, node, 'Desk of emulator')
  const { id } = await testAgent.bind('aiChatE', { mode: 'unmanaged', provider: 'emulator', auth: {} })
  const refuses = (refusal: object | null) =>
    testAgent.manage('PUT', `/system/emulator/bindings/${id}/refusal`, { address: 'visitor', refusal })
  const acts = (what: object) => testAgent.phoneAct('aiChatE', what, 'visitor')
  const statuses = (of: string) => testAgent.statuses().filter(({ messageId }) => messageId === of)
  const attempt = { channel: 'aiChatE', provider: 'emulator' }

  testAgent.replies(json({ messages: [choice] }))
  await acts({ text: 'Hi' })
  const person = (await testAgent.nextContentEvents(t, 2))[1]!.userId
  t.same(await testAgent.nextTexts(1), [numbered], 'a text channel numbers the options')
  await acts({ text: '3' })
  const result = { intent: 'ask.choice', intentId: 'room', optionIds: ['green'], labels: ['Green room'] }
  t.same((await testAgent.nextContentEvents(t, 1))[0]!.event.event, {
    type: 'result',
    result: { ...result, via: 'text', text: '3' },
  })

  await refuses({ reason: 'rateLimited', again: 'later' })
  const [later] = await testAgent.send(person, textMessage('Too many'))
  const { messageId } = later!
  await acts({ text: 'Still there?' })
  const still = { type: 'message', message: { text: 'Still there?' } }
  t.same(
    (await testAgent.nextContentEvents(t, 1))[0]!.event.event,
    still,
    'inbound messages are read while outbound ones wait',
  )
  t.same(statuses(messageId), [])
  await refuses(null)
  const [shownMessage] = await testAgent.nextShownMessages(1)
  t.equal(shownMessage!.wire.block.text, 'Too many')
  for (const state of ['delivered', 'delivered', 'sent']) {
    await acts({ receipt: { messageId: shownMessage!.providerId, state } })
  }
  await waitUntil(() => statuses(messageId).length === 2)
  await refuses({ reason: 'optedOut', again: 'never' })
  const [failing] = await testAgent.send(person, textMessage('One more'))
  await waitUntil(() => statuses(failing!.messageId).length > 0)
  t.same(statuses(failing!.messageId), [
    { messageId: failing!.messageId, state: 'failed', attempt, reason: 'optedOut' },
  ])
  t.same((await testAgent.nextContentEvents(t, 1))[0]!.event.event, systemEvent('optOut'))
  t.same(await testAgent.send(person, textMessage('And another')), [
    { messageId: '', accepted: false, reason: 'optedOut' },
  ])
  t.same(statuses(messageId), [
    { messageId, state: 'sent', attempt },
    { messageId, state: 'delivered', attempt },
  ])
})

await Promise.all(conversations)

const refusedCalls = async () => {
  const text = await (await fetch(`${node.gateway}/metrics`)).text()
  const counts = [...text.matchAll(/^parley_ingress_calls_total\{.*outcome="badSignature".*\} (\d+)$/gm)]
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

/** All that a wire asks for to sign what a person did. */
const signing = {
  now: Date.now,
  newId: (bytes: number) => 'ab'.repeat(bytes),
  recordId() {},
  setOptedOut() {},
  deviceCapabilities: () => [],
}

t.test('A call with a wrong or missing signature leaves only a count', async (t) => {
  const counted = await refusedCalls()
  let calls = 0
  for (const { provider: name, account, testAgent, attempt } of openConversations) {
    const { channel } = attempt
    const provider = httpProviders.find((each) => each.name === name)
    const { ingressUrl = '' } = account.account
    const status = async (headers: Record<string, string>, body: string) => {
      calls++
      return (await fetch(ingressUrl, { method: 'POST', headers, body })).status
    }
    if (!provider) {
      t.equal(await status({}, '{}'), 401, `${name} has no calls at all`)
      continue
    }
    const address = provider.address(account.address)
    const act = { kind: 'text', text: `Is it me on ${name}?` } as const
    const [call] = provider.callbacksFor(account.account, address, act, signing as unknown as EmulatorContext)
    const { headers, body } = call as { headers: Record<string, string>; body: string }
    const header = signatureHeaders[name as keyof typeof signatureHeaders]
    const { [header]: signature = '', ...unsigned } = headers
    const at = signature.length - 8
    const flipped = `${signature.slice(0, at)}${signature[at] === '0' ? '1' : '0'}${signature.slice(at + 1)}`
    const printed = node.stdout().length
    t.equal(await status({ ...headers, [header]: flipped }, body), 401, `${name}, off by a byte`)
    t.equal(await status(unsigned, body), 401, `${name}, without`)
    t.notMatch(node.stdout().slice(printed), testAgent.bindings[channel], 'no line in the log')
    t.equal((await fetch(ingressUrl, { method: 'POST', headers, body })).status, 200, `${name}, as it was signed`)
    const [event] = await testAgent.nextContentEvents(t, 1)
    t.same(event!.event.event, { type: 'message', message: { text: act.text } }, 'and no message was received before')
  }
  t.equal((await refusedCalls()) - counted, calls)
})
