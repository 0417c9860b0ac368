/** The receiver of effects: a server that records every request, and fails now and then so that some are repeated. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Rng } from '../sim/world/rng.js'
import type { EffectPayload } from './books.js'

export interface Arrived extends EffectPayload {
  /** Whether it was answered as a failure. */
  readonly failed: boolean
}

export interface Receiver {
  readonly url: string
  readonly arrived: readonly Arrived[]
  /** The requests for that entry, in order of time. */
  of(value: string): readonly Arrived[]
  close(): Promise<void>
}

const failShare = 0.02

export async function openReceiver(rng: Rng): Promise<Receiver> {
  const arrived: Arrived[] = []
  const byValue = new Map<string, Arrived[]>()
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (piece) => {
      text += piece
    })
    // Of a killed sender only the beginning of the request arrived.
    request.on('end', () => {
      const failed = rng.chance(failShare)
      const post: Arrived = { ...(JSON.parse(text) as EffectPayload), failed }
      arrived.push(post)
      byValue.set(post.value, [...(byValue.get(post.value) ?? []), post])
      response.writeHead(failed ? 500 : 200).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    arrived,
    of: (value) => byValue.get(value) ?? [],
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
