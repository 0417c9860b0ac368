/** One conversation on each channel over the real adapters, each against its emulated provider, with faults on. */
import t, { type Test } from 'tap'
import type { Desk as WireDesk, WireName } from '../../adapters/emulator/contract.js'
import { wires } from '../../adapters/emulator/wires/table.js'
import { EmulatedAccount } from '../harness/account.js'
import { until } from '../harness/clock.js'
import { Desk, json, type Status } from '../harness/desk.js'
import { startNode } from '../harness/process.js'
import { card, choice, confirm, how, said, system, Talk } from './talk.js'
import { numbered, rows, signatureHeaders } from './wires.js'

// A provider that never answers is given up after many seconds, whatever the scale of time is; all of them at once.
t.setTimeout(240_000)
t.jobs = Object.keys(rows).length
const node = await startNode({ PARLEY_EMULATOR: 'true', PARLEY_TIME_SCALE: '10' })
t.teardown(() => node.clean())

const names = Object.keys(rows) as WireName[]
const talks = await Promise.all(names.map((wire) => Talk.open(t, node, wire)))

/** A look around opens all lines that are wanted: once that of a binding which was made later is up, so are the others. */
async function linesAreUp(t: Test): Promise<void> {
  const { account } = await Talk.open(t, node, 'smpp', 'Scout')
  let looks = 0
  await until(async () => ++looks % 20 === 0 && (await account.act({ kind: 'text', text: 'Is this thing on?' })))
}

/** All at once: most of the time goes by in waiting for providers. */
const conversations: PromiseLike<unknown>[] = []
for (const talk of talks) {
  const { wire, row, desk, account } = talk
  const { channel } = row

  const held = t.test(`A conversation on ${channel} over ${wire}`, { buffered: true }, async (t) => {
    t.test('begins when the person writes, and a choice is offered as the channel has it', async (t) => {
      t.equal(await account.greet(), row.greets ? 'taken' : 'none')
      if (row.isLine) await linesAreUp(t)
      const end = await account.troubles({ kind: 'duplicateReceipts' })
      desk.replies(json({ messages: [choice] }))
      await account.act({ kind: 'text', text: 'Hi' })
      const events = await desk.heard(t, row.hasWindow ? 3 : 2)
      const message = events.at(-1)!
      const { userId, event } = message
      talk.person = userId
      t.same(
        events.map((each) => each.event.event),
        [
          system('conversationStarted'),
          ...(row.hasWindow ? [system('windowChanged')] : []),
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
          context: { ...talk.attempt, capabilities: context.capabilities, window: context.window },
          event: { type: 'message', message: { text: 'Hi' } },
        },
      })
      t.equal(context.window.state, 'open')
      await until(() => desk.statuses().length > 0)
      const [{ messageId }] = desk.statuses() as [Status]
      await talk.reaches(t, messageId, row.tells)
      const [offered, ...others] = await account.sent()
      t.same(
        row.offerIn(offered!.body),
        row.offer((place) => `p1.${messageId}.${place}`),
      )
      t.same(others, [])
      await end()
    })

    t.test('goes on with the answer, typed or tapped, as a result', async (t) => {
      await account.act(row.pick)
      const result = { intent: 'ask.choice', intentId: 'room', optionIds: ['green'], labels: ['Green room'] }
      await talk.hears(t, { type: 'result', result: { ...result, ...how(row.pick) } })
      await talk.sends(t, confirm, { kind: 'receiptFirst' })
      await account.act(row.agree)
      const agreed = { intent: 'confirm', intentId: 'sure', optionIds: ['yes'], labels: ['Yes'] }
      await talk.hears(t, { type: 'result', result: { ...agreed, ...how(row.agree) } })
    })

    t.test('has each message once, however receipts come and whatever the provider answers at first', async (t) => {
      await talk.sends(t, card, { kind: 'reorderedReceipts' }, { kind: 'duplicateReceipts' })
      await talk.sends(t, said('Late news'), { kind: 'lateReceipts', ms: 1_000 }, { kind: 'latency', ms: 500 })
      await talk.sends(t, said('Little news'), { kind: 'missingReceipts', states: ['delivered'] })
      if (row.isLine) await talk.sends(t, said('Other digits'), { kind: 'decimalReceiptIds' })
      await talk.sends(t, said('Too many'), { kind: 'rateLimited', retryAfterSeconds: 1, times: 2 })
      await talk.sends(t, said('Out of order'), { kind: 'serverError', status: 503, times: 2 })
      await talk.sends(t, said('Cut off'), { kind: 'reset', times: 1 })
      const once = ['Faces the harbor', 'Late news', 'Little news', 'Too many', 'Out of order', 'Cut off']
      for (const text of once) t.equal((await account.saying(text)).length, 1, text)
    })

    t.test('loses nothing that was accepted and never answered for', async (t) => {
      await talk.sends(t, said('Never answered'), { kind: 'noAnswer', times: 1 })
      t.equal((await account.saying('Never answered')).length, row.knowsIds ? 1 : 2)
    })

    t.test('waits for the operator when the credentials are not taken, and goes on with those', async (t) => {
      const { auth } = account.account
      // A line that is bound stays so: there, credentials are refused when it is bound anew.
      const end = row.isLine ? undefined : await account.troubles({ kind: 'unauthorized' })
      if (row.isLine) await desk.change(channel, { auth: { ...auth, password: 'another' } })
      const messageId = await talk.accepted(said('Who are you?'))
      await until(async () => (await desk.binding(channel)).status === 'ActionRequired')
      const wayOut = 'Put it right with the provider, then enter the credentials again.'
      t.equal((await desk.binding(channel)).statusDetail, `${row.unauthorized} ${wayOut}`)
      await talk.isRefused(t, 'bindingNotReady')
      await until(() => talk.statuses(messageId).length > 0)
      const waits = { reason: 'bindingNotReady', detail: row.unauthorized }
      t.same(talk.statuses(messageId), [{ messageId, state: 'queued', attempt: talk.attempt, ...waits }])
      if (!row.isLine) {
        await account.act({ kind: 'text', text: 'Are you there?' })
        await talk.hears(t, { type: 'message', message: { text: 'Are you there?' } })
      }
      await end?.()
      t.match(await desk.change(channel, { auth }), { status: 'Active' })
      const isOut = () =>
        ['sent', ...row.tells].every((each) => talk.statuses(messageId).some(({ state }) => state === each))
      await until(isOut)
      await talk.sends(t, said('It is us again'))
      t.equal((await account.saying('Who are you?')).length, 1, 'what was accepted before goes out once')
    })

    t.test('tells when somebody is not reached any more, and by which reason', async (t) => {
      const { kind, isTold, optsOut, ...why } = row.lost
      const end = await account.troubles({ kind })
      await talk.fails(t, said('Are you there?'), why, isTold ? ['sent'] : [])
      if (optsOut) {
        await talk.hears(t, system('optOut'))
        await talk.isRefused(t, 'optedOut')
      }
      await end()
      if (optsOut && row.leaving) {
        await account.act(row.leaving.comeBack)
        await talk.hears(t, ...row.leaving.back.map(system))
      } else if (optsOut) {
        await account.act({ kind: 'text', text: 'Here I am' })
        await talk.hears(t, system('optIn'), { type: 'message', message: { text: 'Here I am' } })
      }
      await talk.sends(t, said('There you are'))
    })

    const { leaving } = row
    if (leaving) {
      t.test('ends when the person leaves: nothing reaches them until they are back', async (t) => {
        const before = (await account.sent()).length
        await account.act(leaving.leave)
        await talk.hears(t, ...leaving.left.map(system))
        await talk.isRefused(t, 'optedOut')
        const { comeBack, isByWriting } = leaving
        const written = (text: string) => ({ type: 'message', message: { text } })
        if (!isByWriting) {
          desk.replies(json({ messages: [said('Unasked for')] }))
          await account.act({ kind: 'text', text: 'Still there?' })
          await talk.hears(t, written('Still there?'))
        }
        await account.act(comeBack)
        await talk.hears(t, ...leaving.back.map(system), ...(isByWriting ? [written(comeBack.text)] : []))
        await talk.sends(t, said('Welcome back'))
        const after = (await account.sent()).slice(before)
        t.equal(after.length, 1)
        t.match(JSON.stringify(after), /Welcome back/)
      })
    }

    t.test('told each state of each message once, and none that cannot be', async (t) => {
      const statuses = desk.statuses()
      const keys = statuses.map(({ messageId, state }) => `${messageId} ${state}`)
      t.same(keys, [...new Set(keys)])
      for (const messageId of new Set(statuses.map((each) => each.messageId))) {
        const all = talk.statuses(messageId).map(({ state }) => state)
        const states = all[0] === 'queued' ? all.slice(1) : all
        const isFailed = states.includes('failed')
        const possible = isFailed ? ['sent', 'failed'] : ['sent', ...row.tells]
        t.ok(
          states.every((state) => possible.includes(state)),
          states.join(' '),
        )
        t.equal(states.indexOf('sent'), isFailed && states.length === 1 ? -1 : 0)
      }
    })
    t.end()
  })
  conversations.push(held)
}

t.test('A phone without rcs gets its messages on sms, if their sender allows that', { buffered: true }, async (t) => {
  const talk = await Talk.open(t, node, 'rbm', 'Harbor Relay')
  const { desk, account } = talk
  const sms = await EmulatedAccount.open(desk, 'twilio', 'sms', account.address)
  await account.act({ kind: 'text', text: 'Hi' })
  talk.person = (await desk.heard(t, 2))[1]!.userId
  const end = await account.troubles({ kind: 'unreachable' }, { kind: 'missingReceipts' })
  await sms.troubles({ kind: 'duplicateReceipts' }, { kind: 'reorderedReceipts' })
  const delivery = { channels: ['rcs', 'sms'], fallbackOn: ['sendFailed'] }
  const messageId = await talk.accepted(said('Either way', { delivery }))
  await until(() => talk.statuses(messageId).length === 2)
  const attempt = { channel: 'sms', provider: 'twilio' }
  const inOrder = talk.statuses(messageId).sort((a, b) => (a.state < b.state ? 1 : -1))
  t.same(inOrder, [
    { messageId, state: 'sent', attempt },
    { messageId, state: 'delivered', attempt },
  ])
  const { kind: _kind, ...why } = rows.rbm.lost
  await talk.fails(t, said('This way only', { delivery: { ...delivery, fallbackOn: [] } }), why)
  t.same(await account.sent(), [], 'nothing reached the phone on rcs')
  const { Body, To } = (await sms.sent())[0]!.body as Record<string, string>
  t.same({ Body, To, count: (await sms.sent()).length }, { Body: 'Either way', To: account.address, count: 1 })
  await end()
  t.equal(talk.statuses(messageId).length, 2, 'each state once')
})

t.test('Who takes up a device without lists reads numbers from then on', { buffered: true }, async (t) => {
  const talk = await Talk.open(t, node, 'apple', 'Harbor Devices')
  const { desk, account } = talk
  const shownAs = (level: string) => ({ event: { context: { capabilities: { parts: { 'ask.choice': level } } } } })
  await account.act({ kind: 'text', text: 'Hi' })
  const [, first] = await desk.heard(t, 2)
  talk.person = first!.userId
  t.match(first, shownAs('native'))
  await talk.sends(t, choice)
  await account.act({ kind: 'device', abilities: ['TIME'] })
  await account.act({ kind: 'text', text: 'It is me, elsewhere' })
  t.match((await desk.heard(t, 1))[0], shownAs('text'))
  await talk.sends(t, choice)
  const [list, lines] = (await account.sent()).map(({ body }) => body as Readonly<Record<string, unknown>>)
  t.equal(list?.type, 'interactive')
  t.match(lines, { type: 'text', body: numbered })
  await account.act({ kind: 'text', text: '3' })
  t.match((await desk.heard(t, 1))[0]!.event.event, { type: 'result', result: { optionIds: ['green'], via: 'text' } })
})

t.test('A conversation on aiChatE over emulator', { buffered: true }, async (t) => {
  const desk = await Desk.open(t, node, 'Desk of emulator')
  const { id } = await desk.bind('aiChatE', { mode: 'unmanaged', provider: 'emulator', auth: {} })
  const refuses = (refusal: object | null) =>
    desk.manage('PUT', `/system/emulator/bindings/${id}/refusal`, { address: 'visitor', refusal })
  const acts = (what: object) => desk.acts('aiChatE', what, 'visitor')
  const statuses = (of: string) => desk.statuses().filter(({ messageId }) => messageId === of)
  const attempt = { channel: 'aiChatE', provider: 'emulator' }

  desk.replies(json({ messages: [choice] }))
  await acts({ text: 'Hi' })
  const person = (await desk.heard(t, 2))[1]!.userId
  t.same(await desk.texts(1), [numbered], 'a channel of text alone numbers what there is to choose')
  await acts({ text: '3' })
  const result = { intent: 'ask.choice', intentId: 'room', optionIds: ['green'], labels: ['Green room'] }
  t.same((await desk.heard(t, 1))[0]!.event.event, { type: 'result', result: { ...result, via: 'text', text: '3' } })

  await refuses({ reason: 'rateLimited', again: 'later' })
  const [later] = await desk.send(person, said('Too many'))
  const { messageId } = later!
  await acts({ text: 'Still there?' })
  const still = { type: 'message', message: { text: 'Still there?' } }
  t.same((await desk.heard(t, 1))[0]!.event.event, still, 'who writes is heard, whatever waits to be sent')
  t.same(statuses(messageId), [])
  await refuses(null)
  const [shown] = await desk.shown(1)
  t.equal(shown!.wire.block.text, 'Too many')
  for (const state of ['delivered', 'delivered', 'sent']) {
    await acts({ receipt: { messageId: shown!.providerId, state } })
  }
  await until(() => statuses(messageId).length === 2)
  await refuses({ reason: 'optedOut', again: 'never' })
  const [failing] = await desk.send(person, said('One more'))
  await until(() => statuses(failing!.messageId).length > 0)
  t.same(statuses(failing!.messageId), [
    { messageId: failing!.messageId, state: 'failed', attempt, reason: 'optedOut' },
  ])
  t.same((await desk.heard(t, 1))[0]!.event.event, system('optOut'))
  t.same(await desk.send(person, said('And another')), [{ messageId: '', accepted: false, reason: 'optedOut' }])
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

/** All that a wire asks for to sign what somebody did. */
const signing = {
  now: Date.now,
  newId: (bytes: number) => 'ab'.repeat(bytes),
  said() {},
  setOptedOut() {},
  abilities: () => [],
}

t.test('A call whose signature is off by a byte, or that has none, leaves nothing but a number', async (t) => {
  const counted = await refusedCalls()
  let calls = 0
  for (const { wire: name, account, desk, attempt } of talks) {
    const { channel } = attempt
    const wire = wires.find((each) => each.name === name)
    const { ingressUrl = '' } = account.account
    const status = async (headers: Record<string, string>, body: string) => {
      calls++
      return (await fetch(ingressUrl, { method: 'POST', headers, body })).status
    }
    if (!wire) {
      t.equal(await status({}, '{}'), 401, `${name} has no calls at all`)
      continue
    }
    const address = wire.address(account.address)
    const deed = { kind: 'text', text: `Is it me on ${name}?` } as const
    const [call] = wire.deed(account.account, address, deed, signing as unknown as WireDesk)
    const { headers, body } = call as { headers: Record<string, string>; body: string }
    const header = signatureHeaders[name as keyof typeof signatureHeaders]
    const { [header]: signature = '', ...unsigned } = headers
    const at = signature.length - 8
    const flipped = `${signature.slice(0, at)}${signature[at] === '0' ? '1' : '0'}${signature.slice(at + 1)}`
    const printed = node.stdout().length
    t.equal(await status({ ...headers, [header]: flipped }, body), 401, `${name}, off by a byte`)
    t.equal(await status(unsigned, body), 401, `${name}, without`)
    t.notMatch(node.stdout().slice(printed), desk.bindings[channel], 'no line in the log')
    t.equal((await fetch(ingressUrl, { method: 'POST', headers, body })).status, 200, `${name}, as it was signed`)
    const [event] = await desk.heard(t, 1)
    t.same(event!.event.event, { type: 'message', message: { text: deed.text } }, 'and nothing was heard before that')
  }
  t.equal((await refusedCalls()) - counted, calls)
})
