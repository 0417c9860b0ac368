/** A whole conversation over the real HTTP surface: an agent with a webhook, a person on sms and on rcs, and the emulator between. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { until } from '../harness/clock.js'
import { type NodeProcess, startNode, testKey } from '../harness/process.js'
import { isSignedWith, type Received } from '../harness/receiver.js'

const address = '+15550100'
const traveller = '+15550177'

interface Shown {
  readonly number: number
  readonly bindingId: string
  readonly address: string
  readonly providerId: string
  readonly wire: {
    block: { kind: string; text?: string; chips?: { label: string; postback?: string }[] }
    signal?: string
  }
}

interface Envelope {
  readonly instanceId: string
  readonly userId: string
  readonly mode: string
  readonly event: {
    readonly eventId: string
    readonly timestamp: string
    readonly conversation: { userId: string; sessionId: string }
    readonly context: {
      channel: string
      provider: string
      capabilities: { channel: string }
      window: { state: string }
    }
    readonly event: { type: string; [more: string]: unknown }
  }
}

type Reply = (response: ServerResponse) => void
const nothing: Reply = (response) => void response.writeHead(204).end()
const json =
  (body: unknown): Reply =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const aml =
  (text: string): Reply =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'text/svc-aml' }).end(text)

/** An agent of its own on a running node: its webhook answers with whatever is put in line for the next content event. */
class Desk {
  readonly #received: Received[] = []
  readonly #replies: Reply[] = []
  #seen = 0
  #shown = 0
  secret = ''
  token = ''
  bindings: Record<string, string> = {}

  private constructor(readonly node: NodeProcess) {}

  static async open(t: Test, node: NodeProcess, name: string): Promise<Desk> {
    const desk = new Desk(node)
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const received = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) }
        desk.#received.push(received)
        const { type } = (JSON.parse(received.body.toString()) as Envelope).event.event
        const reply = type === 'message' || type === 'result' ? (desk.#replies.shift() ?? nothing) : nothing
        reply(response)
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    const identity = { contactPhone: '+15550199', contactEmail: 'desk@harbor.example' }
    const { id } = await desk.manage('POST', '/orgs/demo/agents', { name, identity })
    const at = `/orgs/demo/agents/${id}`
    for (const channel of ['rcs', 'sms']) {
      const binding = await desk.manage('POST', `${at}/channels`, { channel, mode: 'managed', inputs: {} })
      desk.bindings[channel] = binding.id
      await until(async () => (await desk.manage('GET', `${at}/channels/${binding.id}`)).status === 'Active')
    }
    await desk.manage('PATCH', `${at}/channels/${desk.bindings.sms}`, { compliance: { enabled: true } })
    desk.token = (await desk.manage('POST', `${at}/gateway/_rotateToken`)).accessToken
    desk.secret = (await desk.manage('POST', `${at}/gateway/_rotateSecret`)).signingSecret
    const { port } = server.address() as AddressInfo
    await desk.call('POST', '/webhook', { webhookUrl: `http://127.0.0.1:${port}/hook`, instanceId: 'desk-1' })
    return desk
  }

  // biome-ignore lint/suspicious/noExplicitAny: what is read is asserted
  async manage(method: string, path: string, body?: unknown): Promise<any> {
    const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
    const answer = await fetch(`${this.node.mgmt}/v1${path}`, {
      method,
      headers,
      body: body && JSON.stringify(body),
    } as RequestInit)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  async call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const headers = { authorization: `bearer ${this.token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${this.node.gateway}/v4${path}`, {
      method,
      headers,
      body: body && JSON.stringify(body),
    } as RequestInit)
    return { status: answer.status, body: await answer.json() }
  }

  async send(userId: string, ...messages: unknown[]) {
    const { body } = await this.call('POST', '/messages', { userId, messages })
    return (body as { results: { messageId: string; accepted: boolean; reason?: string }[] }).results
  }

  replies(...replies: Reply[]): void {
    this.#replies.push(...replies)
  }

  /** Whom the newest event was about. */
  lastPerson(): string {
    return (JSON.parse(this.#received.at(-1)!.body.toString()) as Envelope).userId
  }

  /** A phone does something on a channel. */
  async acts(channel: 'rcs' | 'sms', what: object, from = address): Promise<void> {
    const items = [{ id: `in-${Math.random()}`, from, ...what }]
    await this.manage('POST', `/system/emulator/bindings/${this.bindings[channel]}/_act`, { items })
  }

  /** The next events, once there are so many; each came signed. */
  async events(t: Test, count: number): Promise<Envelope[]> {
    await until(() => this.#received.length >= this.#seen + count)
    const received = this.#received.slice(this.#seen, this.#seen + count)
    this.#seen += count
    for (const each of received) t.ok(isSignedWith(this.secret, each), 'signed')
    return received.map(({ body }) => JSON.parse(body.toString()) as Envelope)
  }

  /** What the phones show next, once there is so much of it. */
  async shown(count: number): Promise<Shown[]> {
    let data: Shown[] = []
    const look = async () => {
      const all = (await this.manage('GET', `/system/emulator/shown?after=${this.#shown}`)) as { data: Shown[] }
      const mine = Object.values(this.bindings)
      data = all.data.filter(({ bindingId }) => mine.includes(bindingId))
      return data.length >= count
    }
    await until(look)
    const next = data.slice(0, count)
    this.#shown = next.at(-1)!.number
    return next
  }

  async texts(count: number): Promise<(string | undefined)[]> {
    return (await this.shown(count)).map(({ wire }) => wire.block.text)
  }
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
  const desk = await Desk.open(t, node, 'Harbor Desk')

  t.test('starts with the first text, and each event has the exact body of the contract', async (t) => {
    desk.replies(json({ messages: [{ spec: 'amf/1', parts: [{ type: 'text', text: 'Welcome to **Harbor**.' }] }] }))
    await desk.acts('sms', { text: 'Hi' })
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
    await desk.acts('sms', { text: 'book' })
    await desk.events(t, 2)
    t.same(await desk.texts(1), ['Which room?\n1. Red room\n2. Blue room\nReply with a number to choose.'])
    await desk.acts('sms', { text: 'red room or blue room?' })
    t.match((await desk.events(t, 1))[0]!.event.event, { type: 'message' })
    await desk.acts('sms', { text: '2' })
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
    await desk.acts('sms', { text: 'the red room please' })
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
    await desk.acts('sms', { text: 'go on' })
    await desk.events(t, 2)
    t.same(await desk.texts(1), ['Book it?\nRoom: Blue room\nReply YES to confirm or NO to decline.'])
    await desk.acts('sms', { text: 'yes' })
    t.match((await desk.events(t, 1))[0]!.event.event, {
      type: 'result',
      result: { intent: 'confirm', intentId: 'sure', optionIds: ['yes'], via: 'text', text: 'yes' },
    })
    await desk.events(t, 1)
    t.match(await desk.texts(1), [/^When\?\n1\. Morning.*\n2\. Evening/])
    await desk.acts('sms', { text: 'evening' })
    t.match((await desk.events(t, 1))[0]!.event.event, {
      type: 'result',
      result: { intent: 'ask.time', intentId: 'when', optionIds: ['evening'], labels: ['Evening'] },
    })
  })

  t.test('STOP, a refused send, HELP, and START', async (t) => {
    await desk.acts('sms', { text: 'STOP' })
    const [out] = await desk.events(t, 1)
    t.same(out!.event.event, { type: 'system', system: { kind: 'optOut' } })
    t.match(await desk.texts(1), [/^Harbor Desk: You are unsubscribed/])
    t.same(await desk.send(out!.userId, { spec: 'amf/1', parts: [{ type: 'text', text: 'one more' }] }), [
      { messageId: '', accepted: false, reason: 'optedOut' },
    ])
    await desk.acts('sms', { text: 'help' })
    t.match(await desk.texts(1), [/^Harbor Desk: Contact us: \+15550199/])
    desk.replies(json({ messages: [{ spec: 'amf/1', parts: [{ type: 'text', text: 'dropped' }] }] }))
    await desk.acts('sms', { text: 'are you there?' })
    t.match((await desk.events(t, 1))[0]!.event.event, { type: 'message' })
    await desk.acts('sms', { text: 'START' })
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
    await desk.acts('sms', { text: 'track' })
    await desk.events(t, 2)
    const [shown] = await desk.shown(1)
    for (const state of ['delivered', 'delivered', 'sent']) {
      await desk.acts('sms', { receipt: { messageId: shown!.providerId, state } })
    }
    await desk.acts('sms', { text: 'seen?' })
    const [delivered, after] = await desk.events(t, 2)
    t.match(delivered!.event.event, { type: 'status', status: { state: 'delivered' } })
    t.equal(after!.event.event.type, 'message', 'and only that')
  })
  t.end()
})

t.test('A conversation on rcs', async (t) => {
  const desk = await Desk.open(t, node, 'Harbor Bell')

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
