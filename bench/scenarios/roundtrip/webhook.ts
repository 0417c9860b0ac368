/** The agent's webhook: answers each question at once, except the slow person's, and measures its own time. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { greeting, sleep } from '../messages/phones.js'
import { reply, roundTripIn } from './rpc.js'

export interface Webhook {
  readonly port: number
  /** How many people have introduced themselves. */
  greeted(): number
  /** Marks a trip before it begins: its answer takes this long. */
  expectSlow(roundTrip: number, ms: number): void
  /** Resolves with the webhook's time for the trip, after it has answered. */
  waitForAnswer(roundTrip: number): Promise<number>
}

export async function openWebhook(): Promise<Webhook> {
  const slow = new Map<number, number>()
  const waiting = new Map<number, (tookMs: number) => void>()
  let greetings = 0

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const start = performance.now()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { event } = JSON.parse(Buffer.concat(chunks).toString()).event as {
      event: { type: string; message?: { text?: string } }
    }
    const text = event.type === 'message' ? (event.message?.text ?? '') : ''
    const roundTrip = roundTripIn(text)
    if (text === greeting) greetings++
    if (roundTrip === undefined) return void response.writeHead(204).end()
    const slowMs = slow.get(roundTrip)
    if (slowMs !== undefined) await sleep(slowMs)
    slow.delete(roundTrip)
    const messages = [{ spec: 'amf/1', parts: [{ type: 'text', text: reply(roundTrip) }] }]
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ messages }))
    waiting.get(roundTrip)?.(performance.now() - start)
    waiting.delete(roundTrip)
  }

  const server = createServer((request, response) => {
    handleRequest(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  // Connections stay open for the whole bench, which does not measure new ones.
  server.keepAliveTimeout = 0
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    greeted: () => greetings,
    expectSlow: (roundTrip, ms) => void slow.set(roundTrip, ms),
    waitForAnswer: (roundTrip) => new Promise((resolve) => waiting.set(roundTrip, resolve)),
  }
}
