/** A real adapter between a provider emulator and a test: what it sends goes to the emulator, what is told comes back as items. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Account, ProviderName } from '../../../adapters/emulator/contract.js'
import type { ContentMessage } from '../../../core/amf/index.js'
import type {
  Adapter,
  CallProvider,
  Item,
  ProviderCache,
  SendContext,
  SendOutcome,
} from '../../../core/channel/adapter.js'
import { render } from '../../../core/render/index.js'
import { waitUntil } from '../../harness/clock.js'
import { openEmulatorHarness } from './emulatorharness.js'

const reader = { locale: 'en-US', zone: 'America/New_York' }
const bindingId = 'cb_1'
/** How long an adapter waits for an answer: on a busy machine long, and only a moment where none will come. */
const timeouts = { usualMs: 20_000, shortMs: 300 }

export async function openAdapterHarness(t: Test, wire: ProviderName, adapter: Adapter) {
  const emulated = await openEmulatorHarness(t)
  const items: Item[] = []
  const refusals: string[] = []
  let answerMs = timeouts.usualMs
  const ingress = createServer((request, response) => void received(request, response))
  ingress.listen(0, '127.0.0.1')
  await once(ingress, 'listening')
  t.teardown(() => new Promise((done) => ingress.close(done).closeAllConnections()))
  const ingressUrl = `http://127.0.0.1:${(ingress.address() as AddressInfo).port}/v4/ingress/${bindingId}`
  const account: Account = emulated.emulator.accounts.register({ wire, id: wire, ingressUrl })!
  const auth: unknown = structuredClone(account.auth)

  async function received(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    const heard = adapter.receive(
      {
        bindingId,
        method: request.method as 'GET' | 'POST',
        url: ingressUrl + (request.url ?? '').replace(/^[^?]*/, ''),
        header: (name) => String(request.headers[name] ?? ''),
        body,
        at: Date.now(),
      },
      auth,
    )
    if (heard.kind === 'items') items.push(...heard.items)
    const status = { refused: 401, items: 200, answer: 200, unreadable: 422 }[heard.kind]
    response.writeHead(status).end(heard.kind === 'answer' ? heard.body : '')
  }

  const call: CallProvider = async ({ method, url, headers = {}, body }) => {
    try {
      const sent = { method, headers, signal: AbortSignal.timeout(answerMs), ...(body !== undefined && { body }) }
      const answer = await fetch(url, sent)
      const text = await answer.text()
      if (!answer.ok || text.includes('"ok":false')) refusals.push(text)
      return { kind: 'answer', status: answer.status, header: (name) => answer.headers.get(name) ?? '', body: text }
    } catch {
      return { kind: 'none', detail: 'There was no answer.', unsent: false }
    }
  }

  const reaching = {
    auth,
    bindingId,
    ingressUrl,
    call,
    cache: memoryOf(),
    now: Date.now,
    signal: new AbortController().signal,
  }
  const line = adapter.connect?.({
    ...reaching,
    addressOf: async (host) => host,
    report: async (told) => void items.push(...told),
  })
  if (line) {
    t.teardown(() => line.close())
    await waitUntil(() => line.problem() === undefined)
  }
  let messages = 0
  const sendingTo = (address: string, id: string): SendContext<unknown> => ({
    ...reaching,
    address,
    id,
    isCancelled: () => false,
    ...(line && { connection: line }),
  })

  function newId(): string {
    return `msg_${String(++messages).padStart(6, '0')}`
  }

  /** Every request of a message, until one of them is refused. */
  async function deliver(message: ContentMessage, address: string, messageId = newId()) {
    const { blocks } = render(message, adapter.descriptor.traits, reader)
    const outcomes: SendOutcome[] = []
    for (const [place, each] of adapter.render(blocks, { address, messageId }).entries()) {
      outcomes.push(await adapter.send(each, sendingTo(address, `${messageId}.${place}`)))
      if (outcomes.at(-1)!.kind === 'refused') break
    }
    return { id: messageId, outcomes }
  }

  /** Waits until something like this was told. */
  async function told(like: (item: Exclude<Item, { problem: string }>) => boolean): Promise<void> {
    await waitUntil(() => items.some((item) => !('problem' in item) && like(item)))
  }

  function waitsShortly(isShort: boolean): void {
    answerMs = isShort ? timeouts.shortMs : timeouts.usualMs
  }

  return { emulator: emulated.emulator, account, items, refusals, deliver, told, sendingTo, waitsShortly }
}
export type AdapterHarness = Awaited<ReturnType<typeof openAdapterHarness>>

function memoryOf(): ProviderCache {
  const kept = new Map<string, unknown>()
  return {
    async get<T>(name: string, make: () => PromiseLike<{ readonly value: T; readonly until: number } | undefined>) {
      if (!kept.has(name)) kept.set(name, (await make())?.value)
      return kept.get(name) as T | undefined
    },
    invalidate: (name) => void kept.delete(name),
  }
}
