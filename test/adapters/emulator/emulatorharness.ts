/**
 * A provider emulator on its own ports with a customer's endpoint beside it, for tests that speak to it as adapters do.
 */
import type { Test } from 'tap'
import type { CallWebhook } from '../../../adapters/emulator/callbacks.js'
import type { Account, ProviderName } from '../../../adapters/emulator/contract.js'
import { openProviderEmulator, type ProviderEmulatorOptions } from '../../../adapters/emulator/provideremulator.js'
import { waitUntil } from '../../harness/clock.js'
import { openReceiver, type Received } from '../../harness/receiver.js'

export const callWebhook: CallWebhook = async ({ method, url, headers, body, timeoutMs }) => {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const answer = await fetch(url, { method, headers, signal, ...(method === 'POST' && { body }) })
    return { status: answer.status, header: (name) => answer.headers.get(name) ?? '', body: await answer.text() }
  } catch {
    return undefined
  }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: the answers of providers are read field by field
  readonly json: any
}

export async function openEmulatorHarness(t: Test, options: Partial<ProviderEmulatorOptions> = {}) {
  const receiver = await openReceiver(t)
  const emulator = openProviderEmulator({
    key: Buffer.alloc(32, 7),
    now: Date.now,
    webhook: callWebhook,
    timeScale: 20,
    ...options,
  })
  const { httpUrl, smppPort } = await emulator.start()
  t.teardown(() => emulator.stop())

  /** An account whose provider calls the path of that name. */
  function account(provider: ProviderName, more: { reads?: boolean } = {}): Account {
    return emulator.accounts.register({
      wire: provider,
      id: provider,
      ingressUrl: receiver.url(`/${provider}`),
      ...more,
    })!
  }

  async function call(url: string, init: RequestInit = {}): Promise<Answer> {
    const answer = await fetch(url, init)
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, json: jsonIn(text) }
  }

  /** Waits for as many calls to that path, and gives all of them. */
  async function waitForCalls(path: string, atLeast: number): Promise<readonly Received[]> {
    await waitUntil(() => receiver.at(path).length >= atLeast)
    return receiver.at(path)
  }

  return { emulator, receiver, account, call, waitForCalls, httpUrl, smppPort }
}
export type EmulatorHarness = Awaited<ReturnType<typeof openEmulatorHarness>>

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const asJson = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})
