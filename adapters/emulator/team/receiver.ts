/** What emulated providers share that only receive: people do not answer, and there are no receipts. */
import { providerEmulator as limits } from '../../../core/limits/index.js'
import type { EmulatedProvider } from '../contract.js'

export const receiver: Pick<
  EmulatedProvider,
  'retryAfterMs' | 'timeoutMs' | 'receiptCallback' | 'callbacksFor' | 'taps'
> = {
  retryAfterMs: [],
  timeoutMs: limits.webhookTimeoutMs.usual,
  receiptCallback: () => undefined,
  callbacksFor: () => 'People do not answer here.',
  taps: () => [],
}

export const mailAddress = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/
