/** A test agent on a running node: its webhook answers as the test says and records every event. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { waitUntil } from './clock.js'
import { type NodeProcess, testKey } from './process.js'
import { isSignedWith, type Received } from './receiver.js'

export interface ShownMessage {
  readonly number: number
  readonly bindingId: string
  readonly address: string
  readonly providerId: string
  readonly wire: {
    block: { kind: string; text?: string; chips?: { label: string; postback?: string }[] }
    signal?: string
  }
}

export interface Envelope {
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

export interface Status {
  readonly messageId: string
  readonly state: string
  readonly attempt: { readonly channel: string; readonly provider: string }
  readonly reason?: string
  readonly detail?: string
}

export type Reply = (response: ServerResponse) => void
export const noReply: Reply = (response) => void response.writeHead(204).end()
export const json =
  (body: unknown): Reply =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
export const aml =
  (text: string): Reply =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'text/svc-aml' }).end(text)

/** The webhook answers a content event with the next queued reply. */
export class TestAgent {
  readonly #received: Received[] = []
  readonly #replies: Reply[] = []
  #seen = 0
  #read = 0
  #shown = 0
  secret = ''
  token = ''
  /** The agent's path in the management API. */
  agentPath = ''
  bindings: Record<string, string> = {}
  /** The reply to every event, where it is set. */
  alwaysReply: Reply | undefined
  /** The reply to status events, where it is set. */
  onStatus: Reply | undefined

  private constructor(readonly node: NodeProcess) {}

  static async open(t: Test, node: NodeProcess, name: string): Promise<TestAgent> {
    const testAgent = new TestAgent(node)
    const server = createServer((request, response) => testAgent.#serve(request, response)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    const identity = { contactPhone: '+15550199', contactEmail: 'desk@harbor.example' }
    const { id } = await testAgent.manage('POST', '/orgs/demo/agents', { name, identity })
    testAgent.agentPath = `/orgs/demo/agents/${id}`
    testAgent.token = (await testAgent.manage('POST', `${testAgent.agentPath}/gateway/_rotateToken`)).accessToken
    testAgent.secret = (await testAgent.manage('POST', `${testAgent.agentPath}/gateway/_rotateSecret`)).signingSecret
    const { port } = server.address() as AddressInfo
    await testAgent.call('POST', '/webhook', { webhookUrl: `http://127.0.0.1:${port}/hook`, instanceId: 'desk-1' })
    return testAgent
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const received = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) }
      this.#received.push(received)
      const { type } = (JSON.parse(received.body.toString()) as Envelope).event.event
      const next = type === 'message' || type === 'result' ? (this.#replies.shift() ?? noReply) : noReply
      const reply = this.alwaysReply ?? (type === 'status' ? (this.onStatus ?? next) : next)
      reply(response)
    })
  }

  /** Binds a channel; resolves when the binding is in service. */
  async bind(channel: string, settings: object): Promise<{ id: string; ingressUrl: string }> {
    const binding = await this.manage('POST', `${this.agentPath}/channels`, { channel, ...settings })
    this.bindings[channel] = binding.id
    await waitUntil(async () => (await this.binding(channel)).status === 'Active')
    return binding
  }

  async binding(channel: string): Promise<{ status: string; statusDetail?: string }> {
    return this.manage('GET', `${this.agentPath}/channels/${this.bindings[channel]}`)
  }

  async change(channel: string, change: object): Promise<{ status: string }> {
    return this.manage('PATCH', `${this.agentPath}/channels/${this.bindings[channel]}`, change)
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

  /** The user id of the newest event. */
  lastPerson(): string {
    return (JSON.parse(this.#received.at(-1)!.body.toString()) as Envelope).userId
  }

  /** Acts on an emulated phone of a channel. */
  async phoneAct(channel: string, action: object, from: string): Promise<void> {
    const items = [{ id: `in-${Math.random()}`, from, ...action }]
    await this.manage('POST', `/system/emulator/bindings/${this.bindings[channel]}/_act`, { items })
  }

  /** The next events, once there are this many; checks each signature. */
  async nextEvents(t: Test, count: number): Promise<Envelope[]> {
    await waitUntil(() => this.#received.length >= this.#seen + count)
    const received = this.#received.slice(this.#seen, this.#seen + count)
    this.#seen += count
    return this.#signed(t, received)
  }

  /** The next events other than statuses, once there are this many. */
  async nextContentEvents(t: Test, count: number): Promise<Envelope[]> {
    const next = () => this.#received.filter((each) => !isStatus(each)).slice(this.#read, this.#read + count)
    await waitUntil(() => next().length === count)
    const received = next()
    this.#read += count
    return this.#signed(t, received)
  }

  /** Every status so far, in order of arrival. */
  statuses(): Status[] {
    return this.#received.filter(isStatus).map((each) => eventOf(each).status as Status)
  }

  #signed(t: Test, received: readonly Received[]): Envelope[] {
    for (const each of received) t.ok(isSignedWith(this.secret, each), 'signed')
    return received.map(({ body }) => JSON.parse(body.toString()) as Envelope)
  }

  /** The next messages on the phones, once there are this many. */
  async nextShownMessages(count: number): Promise<ShownMessage[]> {
    let data: ShownMessage[] = []
    const poll = async () => {
      const all = (await this.manage('GET', `/system/emulator/shown?after=${this.#shown}`)) as { data: ShownMessage[] }
      const ownBindings = Object.values(this.bindings)
      data = all.data.filter(({ bindingId }) => ownBindings.includes(bindingId))
      return data.length >= count
    }
    await waitUntil(poll)
    const next = data.slice(0, count)
    this.#shown = next.at(-1)!.number
    return next
  }

  async nextTexts(count: number): Promise<(string | undefined)[]> {
    return (await this.nextShownMessages(count)).map(({ wire }) => wire.block.text)
  }
}

function eventOf({ body }: Received): Envelope['event']['event'] {
  return (JSON.parse(body.toString()) as Envelope).event.event
}

function isStatus(received: Received): boolean {
  return eventOf(received).type === 'status'
}
