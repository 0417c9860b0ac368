/**
 * A page of a visitor, as a browser would be one: it gets its token, opens its socket, and keeps every frame it was
 * told.
 */
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { WebSocket } from 'undici'
import type { ClientFrame, MessageFrame, ServerFrame, VisitorFrame } from '../../../adapters/webchat/frames.js'
import { waitUntil } from '../../harness/clock.js'

export interface Token {
  readonly visitorId: string
  readonly token: string
  readonly expiresAt: string
  readonly resumed: boolean
}

export interface ConnectOptions {
  readonly token: string
  readonly after?: number
  readonly origin?: string
}

/** A line as a person sees it. */
export type TranscriptLine = MessageFrame | VisitorFrame

type Unversioned<F> = F extends unknown ? Omit<F, 'v'> : never

/** `chat` is the address of the chat, such as `http://127.0.0.1:8080/v4/webchat/demo.harbor`. */
export async function createVisitor(chat: string, token?: string, origin?: string): Promise<Token> {
  const answer = await requestToken(chat, token === undefined ? {} : { token }, origin)
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Token
}

export function requestToken(chat: string, body: unknown, origin?: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(origin && { origin }) }
  return fetch(`${chat}/visitors`, { method: 'POST', headers, body: JSON.stringify(body) })
}

export function socketUrl(chat: string, { token, after }: ConnectOptions): string {
  const cursor = after === undefined ? '' : `&after=${after}`
  return `${chat.replace(/^http/, 'ws')}?token=${encodeURIComponent(token)}${cursor}`
}

export class Page {
  readonly frames: ServerFrame[] = []
  #closed: number | undefined
  readonly #socket: WebSocket

  private constructor(url: string, origin: string | undefined) {
    this.#socket = new WebSocket(url, { headers: origin ? { origin } : {} })
    this.#socket.addEventListener('message', ({ data }) => this.frames.push(JSON.parse(String(data))))
    this.#socket.addEventListener('close', ({ code }) => {
      this.#closed = code
    })
    // A socket that could not be opened says so here, and then closes.
    this.#socket.addEventListener('error', () => undefined)
  }

  /** On its way in; whether it gets there shows. */
  static connect(chat: string, options: ConnectOptions): Page {
    return new Page(socketUrl(chat, options), options.origin)
  }

  get isClosed(): boolean {
    return this.#closed !== undefined
  }

  /** Open once it was welcomed and told everything there was. */
  static async open(chat: string, options: ConnectOptions): Promise<Page> {
    const page = Page.connect(chat, options)
    await waitUntil(() => page.#closed !== undefined || page.frames.some(({ type }) => type === 'caughtUp'))
    if (page.#closed !== undefined) throw new Error(`the socket closed with ${page.#closed}`)
    return page
  }

  sendFrame(frame: Unversioned<ClientFrame>): void {
    this.raw(JSON.stringify({ v: 1, ...frame }))
  }

  raw(text: string | Uint8Array): void {
    this.#socket.send(text as string)
  }

  /** Says something under a new id, and resolves to it once it is on record. */
  async text(text: string, id: string = randomUUID()): Promise<string> {
    this.sendFrame({ type: 'text', id, text })
    await this.waitForAccepted(id)
    return id
  }

  async waitForAccepted(id: string, times = 1): Promise<void> {
    await waitUntil(() => this.frames.filter((each) => each.type === 'accepted' && each.id === id).length >= times)
  }

  async waitForFrames<T extends ServerFrame['type']>(type: T, count = 1): Promise<Extract<ServerFrame, { type: T }>[]> {
    const matching = () => this.frames.filter((frame) => frame.type === type)
    await waitUntil(() => matching().length >= count)
    return matching() as Extract<ServerFrame, { type: T }>[]
  }

  get entries(): TranscriptLine[] {
    return this.frames.filter((frame): frame is TranscriptLine => frame.type === 'message' || frame.type === 'said')
  }

  async waitForLines(count: number): Promise<TranscriptLine[]> {
    await waitUntil(() => this.entries.length >= count)
    return this.entries
  }

  get cursor(): number {
    return this.entries.at(-1)?.cursor ?? 0
  }

  async waitForClose(): Promise<number> {
    await waitUntil(() => this.#closed !== undefined)
    return this.#closed!
  }

  async close(): Promise<void> {
    this.#socket.close()
    await this.waitForClose()
  }
}

export const textsOf = (entries: readonly TranscriptLine[]): (string | undefined)[] =>
  entries.map((entry) => (entry.type === 'said' ? entry.text : (entry.blocks[0] as { text?: string }).text))

/** How a socket ends that may not come in; 0 for one that was welcomed. */
export async function codeOfSocket(chat: string, options: ConnectOptions): Promise<number> {
  const page = Page.connect(chat, options)
  await waitUntil(() => page.isClosed || page.frames.length > 0)
  if (page.isClosed) return page.waitForClose()
  await page.close()
  return 0
}

/** The status of a request for a socket that does not become one. */
export function statusOfSocket(chat: string, query: string, more: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...more,
    }
    const upgradeRequest = request(`${chat}?${query}`, { headers })
    upgradeRequest.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    upgradeRequest.on('upgrade', (_response, socket) => {
      socket.destroy()
      resolve(101)
    })
    upgradeRequest.on('error', reject)
    upgradeRequest.end()
  })
}
