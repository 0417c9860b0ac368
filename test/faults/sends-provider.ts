/**
 * An rcs provider that outlives every node: it knows messages by their ids, as the real one does, and now and then
 * fails, delays its caller, or takes a message and hangs up.
 */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Rng } from '../sim/world/rng.js'
import type { SendRecord } from './sends-record.js'

export interface SendProvider {
  /** The credentials of a binding. */
  readonly auth: { readonly clientToken: string } & Readonly<Record<string, unknown>>
  /** From here on it accepts every request. */
  recover(): void
  /** Answers no call for an access token until it is released; `waiting` counts the pending calls. */
  blockTokens(): Block
  /** Holds messages back: none arrives until it is released. */
  blockMessages(): Block
  close(): Promise<void>
}

export interface Block {
  waiting(): number
  release(): void
}

interface ResponseMode {
  readonly share: number
  readonly isAccepted: boolean
  /** Absent: no answer is sent, and the connection ends. */
  readonly status?: number
  readonly isSlow?: true
}

/** Outcomes of calls with a message; the first is success. */
const responseModes: readonly ResponseMode[] = [
  { share: 0.7, isAccepted: true, status: 200 },
  { share: 0.08, isAccepted: false, status: 500 },
  { share: 0.02, isAccepted: false, status: 403 },
  { share: 0.04, isAccepted: false, isSlow: true },
  { share: 0.04, isAccepted: false },
  { share: 0.05, isAccepted: true, isSlow: true },
  { share: 0.07, isAccepted: true },
]
const slowMs = 400
/** The share of other calls that fail, and of token calls that are delayed. */
const failShare = 0.04
const slowTokenShare = 0.5
const slowTokenMs = 100

/** Numbers that rcs does not reach. */
export function isIncapable(phone: string): boolean {
  return phone.endsWith('7')
}

export async function openSendProvider(record: SendRecord, rng: Rng): Promise<SendProvider> {
  let isWell = false
  const blocked: { tokens?: (() => void)[]; messages?: (() => void)[] } = {}
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  function drawMode(): ResponseMode {
    let remaining = isWell ? 0 : rng.next()
    for (const responseMode of responseModes) {
      if (remaining < responseMode.share) return responseMode
      remaining -= responseMode.share
    }
    return responseModes[0]!
  }

  function block(what: keyof typeof blocked): Block {
    const waiting: (() => void)[] = []
    blocked[what] = waiting
    return {
      waiting: () => waiting.length,
      release() {
        delete blocked[what]
        for (const go of waiting) go()
      },
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', url)
    const isBlocked = blocked.messages && pathname.endsWith('/agentMessages')
    if (isBlocked) await new Promise<void>((resolve) => blocked.messages!.push(resolve))
    const at = record.moment()
    const body = await bodyOf(request)
    // Of a killed node only the beginning of the request arrived.
    if (body === undefined) return
    const [, given = '', what = ''] = /^\/v1\/phones\/([^/]+)\/(\w+)$/.exec(pathname) ?? []
    const phone = decodeURIComponent(given)
    if (what === 'agentMessages') return recordMessage(response, at, phone, searchParams.get('messageId') ?? '', body)
    if (pathname === '/token') {
      const grant = () => reply(response, 200, { access_token: 'granted', expires_in: 3_600 })
      if (blocked.tokens) return void blocked.tokens.push(grant)
      return void setTimeout(grant, !isWell && rng.chance(slowTokenShare) ? slowTokenMs : 0)
    }
    if (!isWell && rng.chance(failShare)) return reply(response, 500, {})
    return reply(response, what === 'capabilities' && isIncapable(phone) ? 404 : 200, { features: [] })
  }

  function recordMessage(response: ServerResponse, at: number, phone: string, id: string, body: string): void {
    const { isAccepted, status, isSlow } = drawMode()
    const ref = /ref-\d+/.exec(body)?.[0]
    // Confirmations and the like are Parley's own messages, not sends.
    if (ref) record.arrivals.push({ at, id, phone, ref, isAccepted, isAnswered: status !== undefined })
    if (status !== undefined) reply(response, status, {})
    else setTimeout(() => response.destroy(), isSlow ? slowMs : 0)
  }

  return {
    auth: {
      agentId: 'agent-of-sends',
      serviceAccount: {
        client_email: 'sends@example.com',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        token_uri: `${url}/token`,
      },
      clientToken: 'a-token-that-only-tests-ever-use',
      apiUrl: url,
    },
    recover() {
      isWell = true
    },
    blockTokens: () => block('tokens'),
    blockMessages: () => block('messages'),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  try {
    return Buffer.concat(await request.toArray()).toString()
  } catch {
    return undefined
  }
}
