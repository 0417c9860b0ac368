/**
 * The tools and the pictures of a managed agent, in the test's process: they outlive every node, and can hold their
 * answers, so that a node is harmed while it waits for one.
 */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificates } from '../harness/certificates.js'
import { noisePng } from '../harness/picture.js'

/** One request to a tool. */
export interface ToolRequest {
  readonly tool: string
  /** Its `Idempotency-Key`. */
  readonly key: string
}

export interface TurnEndpoints {
  readonly url: string
  /** What a node needs in its environment to trust the endpoints. */
  readonly env: Readonly<Record<string, string>>
  readonly requests: readonly ToolRequest[]
  /** Holds every request for that path until it is released. */
  hold(path: string): HeldPath
  close(): Promise<void>
}

export interface HeldPath {
  /** Whether a request waits. */
  hasArrived(): boolean
  release(): void
}

export async function openTurnEndpoints(): Promise<TurnEndpoints> {
  const requests: ToolRequest[] = []
  const held = new Map<string, (() => void)[]>()
  const picture = noisePng(2, 2)
  const dir = mkdtempSync(join(tmpdir(), 'parley-turn-endpoints-'))
  const { caFile, certFile, keyFile } = makeCertificates(dir)
  const identity = { cert: readFileSync(certFile), key: readFileSync(keyFile) }
  const server = createServer(identity, (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost')
    const [, folder, tool = ''] = pathname.split('/')
    // Of a killed node only the beginning of the request arrived.
    request.on('error', () => {}).resume()
    request.on('end', () => {
      if (folder === 'tools') requests.push({ tool, key: String(request.headers['idempotency-key']) })
      const answer = () => (folder === 'pictures' ? response.end(picture) : reply(response))
      const waiting = held.get(pathname)
      if (waiting) waiting.push(answer)
      else answer()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    env: { NODE_EXTRA_CA_CERTS: caFile },
    requests,
    hold(path) {
      const waiting: (() => void)[] = []
      held.set(path, waiting)
      return {
        hasArrived: () => waiting.length > 0,
        release() {
          held.delete(path)
          for (const answer of waiting.splice(0)) answer()
        },
      }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

function reply(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
}
