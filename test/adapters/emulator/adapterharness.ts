/**
 * A real adapter between a provider emulator and a test: what it sends goes to the emulator, what is told comes back as
 * items.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Account, ChannelProviderName } from '../../../adapters/emulator/contract.js'
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

export async function openAdapterHarness(t: Test, provider: ChannelProviderName, adapter: Adapter) {
  const emulated = await openEmulatorHarness(t)
  const items: Item[] = []
  const refusals: string[] = []
  let answerMs = timeouts.usualMs
  const ingress = createServer((request, response) => void receiveCall(request, response))
  ingress.listen(0, '127.0.0.1')
  await once(ingress, 'listening')
  t.teardown(() => new Promise((done) => ingress.close(done).closeAllConnections()))
  const ingressUrl = `http://127.0.0.1:${(ingress.address() as AddressInfo).port}/v4/ingress/${bindingId}`
  const account: Account = emulated.emulator.accounts.register({ wire: provider, id: provider, ingressUrl })!
  const auth: unknown = structuredClone(account.auth)

  async function receiveCall(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    const result = adapter.receive(
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
    if (result.kind === 'items') items.push(...result.items)
    const status = { refused: 401, items: 200, answer: 200, unreadable: 422 }[result.kind]
    response.writeHead(status).end(result.kind === 'answer' ? result.body : '')
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

  const providerContext = {
    auth,
    bindingId,
    ingressUrl,
    call,
    cache: createCache(),
    now: Date.now,
    signal: new AbortController().signal,
  }
  const connection = adapter.connect?.({
    ...providerContext,
    addressOf: async (host) => host,
    report: async (reported) => void items.push(...reported),
  })
  if (connection) {
    t.teardown(() => connection.close())
    await waitUntil(() => connection.problem() === undefined)
  }
  let messages = 0
  const sendContextTo = (address: string, id: string): SendContext<unknown> => ({
    ...providerContext,
    address,
    id,
    isCancelled: () => false,
    ...(connection && { connection }),
  })

  function newId(): string {
    return `msg_${String(++messages).padStart(6, '0')}`
  }

  /** Every request of a message, until one of them is refused. */
  async function deliver(message: ContentMessage, address: string, messageId = newId()) {
    const { blocks } = render(message, adapter.descriptor.traits, reader)
    const outcomes: SendOutcome[] = []
    for (const [index, each] of adapter.render(blocks, { address, messageId }).entries()) {
      outcomes.push(await adapter.send(each, sendContextTo(address, `${messageId}.${index}`)))
      if (outcomes.at(-1)!.kind === 'refused') break
    }
    return { id: messageId, outcomes }
  }

  /** Waits until something like this was told. */
  async function waitForItem(isMatch: (item: Exclude<Item, { problem: string }>) => boolean): Promise<void> {
    await waitUntil(() => items.some((item) => !('problem' in item) && isMatch(item)))
  }

  function setShortTimeout(isShort: boolean): void {
    answerMs = isShort ? timeouts.shortMs : timeouts.usualMs
  }

  return { emulator: emulated.emulator, account, items, refusals, deliver, waitForItem, sendContextTo, setShortTimeout }
}
export type AdapterHarness = Awaited<ReturnType<typeof openAdapterHarness>>

function createCache(): ProviderCache {
  const cached = new Map<string, unknown>()
  return {
    async get<T>(name: string, make: () => PromiseLike<{ readonly value: T; readonly until: number } | undefined>) {
      if (!cached.has(name)) cached.set(name, (await make())?.value)
      return cached.get(name) as T | undefined
    },
    invalidate: (name) => void cached.delete(name),
  }
}
