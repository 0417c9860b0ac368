/**
 * A gateway as pages see it, small enough to misbehave on command: the real page and script, and sockets with a record.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContext, WebSocketRoute } from 'playwright-core'
import type { Test } from 'tap'
import { bundleWidget } from '../../../../adapters/webchat/bundle.js'
import type {
  Block,
  ClientFrame,
  Contact,
  MessageFrame,
  ServerFrame,
  VisitorFrame,
} from '../../../../adapters/webchat/frames.js'
import { chatLook } from '../../../../adapters/webchat/widget/look.js'
import type { Answer } from '../../../../runtime/http/route.js'
import { type ChatPagesOptions, chatPageRoutes } from '../../../../runtime/webchat/chatpages.js'
import { pictures } from './pictures.js'

export const chat = 'demo.harbor-desk'
const look = { title: 'Harbor Hotel', brandColor: '#0f6b5c', greeting: 'Welcome! How can we help?' }

let bundled: Promise<string> | undefined

export class FakeGateway {
  readonly receivedFrames: ClientFrame[] = []
  readonly requestedTokens: (string | undefined)[] = []
  readonly sockets = new Set<WebSocketRoute>()
  record: (MessageFrame | VisitorFrame)[] = []
  /** Frames are kept unanswered, as by a gateway that is gone without anybody having noticed. */
  isSilent = false
  /** What is answered to everything that is said, instead of taking it. */
  errorReply: Omit<Extract<ServerFrame, { type: 'error' }>, 'v' | 'type' | 'id'> | undefined
  /** What asking for a visitor is answered with, where that is no visitor. */
  refusal: number | undefined
  /** Sockets are opened and closed at once, with this code. */
  closeCode: number | undefined
  /** A new page gets so many of the newest lines, and so many older ones at a time. */
  maxLines = 100
  olderLines = 20
  inputs: Record<string, unknown> = look
  /** The policy of the page that the widget is on. */
  hostPolicy = ''
  hostMarkup = '<html lang="en">'
  #cursor = 0
  #visitors = 0

  private constructor(readonly origin: string) {}

  static async open(t: Test): Promise<FakeGateway> {
    bundled ??= bundleWidget()
    const script = Buffer.from(await bundled)
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    const gateway = new FakeGateway(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const binding = () => ({ channel: 'webchat', inputs: gateway.inputs })
    const directory = { get: async () => ({ name: 'Harbor Desk', channels: [binding()] }) }
    const routes = chatPageRoutes({
      directory: directory as unknown as ChatPagesOptions['directory'],
      publicUrl: () => gateway.origin,
      appearance: chatLook,
      widget: async () => script,
    })
    const files = new Map(routes.map((route) => [route.path.replace('{agentId}', chat), route.handler]))
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const path = (request.url ?? '').replace(/\?.*/, '')
      const file = files.get(path)
      if (path.endsWith('/visitors')) void gateway.#admit(request, response)
      else if (file) void answer(response, file)
      else if (path.startsWith('/pictures/'))
        response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(pictures(path))
      else response.writeHead(200, hostHeaders(gateway.hostPolicy)).end(hostPage(gateway.hostMarkup))
    })
    return gateway
  }

  get pageUrl(): string {
    return `${this.origin}/webchat/${chat}`
  }

  get hostUrl(): string {
    return `${this.origin}/`
  }

  /** Sockets of these pages come here. */
  async routeSockets(context: BrowserContext): Promise<void> {
    await context.routeWebSocket(/\/webchat\//, (socket) => this.#take(socket))
  }

  /** The agent says something; answers its id. */
  sendMessage(...blocks: Block[]): string {
    return this.sendWithContacts([], ...blocks)
  }

  sendWithContacts(contacts: readonly Contact[], ...blocks: Block[]): string {
    const cursor = ++this.#cursor
    const messageId = `m-${cursor}`
    const at = new Date().toISOString()
    const shared = contacts.length > 0 && { contacts: [...contacts] }
    this.#note({ v: 1, type: 'message', cursor, messageId, at, state: 'sent', blocks, ...shared })
    return messageId
  }

  broadcast(frame: ServerFrame): void {
    for (const socket of this.sockets) socket.send(JSON.stringify(frame))
  }

  drop(code = 1012): void {
    for (const socket of this.sockets) void socket.close({ code })
    this.sockets.clear()
  }

  framesOfType<Type extends ClientFrame['type']>(type: Type): Extract<ClientFrame, { type: Type }>[] {
    return this.receivedFrames.filter((frame): frame is Extract<ClientFrame, { type: Type }> => frame.type === type)
  }

  #note(frame: MessageFrame | VisitorFrame): void {
    this.record.push(frame)
    this.broadcast(frame)
  }

  #take(socket: WebSocketRoute): void {
    const afterParameter = new URL(socket.url()).searchParams.get('after')
    const after = Number(afterParameter ?? Math.max(0, this.#cursor - this.maxLines))
    const more = afterParameter === null && after > 0
    const send = (frame: ServerFrame) => socket.send(JSON.stringify(frame))
    if (this.closeCode) return void socket.close({ code: this.closeCode })
    this.sockets.add(socket)
    socket.onClose(() => this.sockets.delete(socket))
    socket.onMessage((text) => this.#receive(JSON.parse(String(text)) as ClientFrame, send))
    if (this.isSilent) return
    send({ v: 1, type: 'welcome', visitorId: 'vis_1', cursor: this.#cursor, more, pingEveryMs: 20_000 })
    for (const frame of this.record) if (frame.cursor > after) send(frame)
    send({ v: 1, type: 'caughtUp', cursor: this.#cursor })
  }

  #receive(frame: ClientFrame, send: (frame: ServerFrame) => void): void {
    this.receivedFrames.push(frame)
    if (this.isSilent) return
    if (frame.type === 'older') {
      const lines = this.record.filter(({ cursor }) => cursor < frame.before).slice(-this.olderLines)
      const from = lines[0]?.cursor ?? 0
      return send({ v: 1, type: 'older', from, lines, more: from > 1 })
    }
    if (!('id' in frame)) return
    const { id } = frame
    if (this.errorReply) return send({ v: 1, type: 'error', id, ...this.errorReply })
    send({ v: 1, type: 'accepted', id })
    const isRepeated = this.record.some((each) => each.type === 'said' && each.id === id)
    const text = frame.type === 'text' ? frame.text : frame.type === 'tap' ? frame.label : undefined
    const place = frame.type === 'location' ? frame.place : undefined
    const line = { ...(text !== undefined && { text }), ...(place && { place }) }
    if (isRepeated || isAction(frame)) return
    this.#note({ v: 1, type: 'said', cursor: ++this.#cursor, id, at: new Date().toISOString(), ...line })
  }

  async #admit(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString()
    const { token } = JSON.parse(body || '{}') as { token?: string }
    this.requestedTokens.push(token)
    if (this.refusal) return void response.writeHead(this.refusal).end()
    const visitorId = token?.replace('token-of-', '') ?? `vis_${++this.#visitors}`
    const expiresAt = new Date(Date.now() + 30 * 24 * 3_600_000).toISOString()
    const visitor = { visitorId, token: `token-of-${visitorId}`, expiresAt, resumed: token !== undefined }
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(visitor))
  }
}

/** A link that was followed is told to the agent, and is no line of the conversation. */
function isAction(frame: ClientFrame): boolean {
  return frame.type === 'tap' && /^(View|Add|Call|Open)/.test(frame.label ?? '')
}

async function answer(response: ServerResponse, handler: unknown): Promise<void> {
  const handle = handler as (call: object) => Promise<Answer>
  const { status, headers, type, body } = await handle({ params: { agentId: chat }, header: () => '' })
  response.writeHead(status, { ...headers, ...(type && { 'content-type': type }) }).end(body as Uint8Array)
}

function hostHeaders(policy: string): Record<string, string> {
  const type = { 'content-type': 'text/html; charset=utf-8' }
  return policy === '' ? type : { ...type, 'content-security-policy': policy }
}

function hostPage(opening: string): string {
  return `<!doctype html>${opening}<head><meta name="viewport" content="width=device-width, initial-scale=1"><title>Harbor Hotel</title>
<link rel="icon" href="data:,"><script src="/webchat/${chat}/widget.js" async></script></head>
<body><main><h1>Harbor Hotel</h1><p>Rooms above the water. <a href="#rooms">See the rooms</a></p></main></body></html>`
}
