/** What providers have in common that only receive: nobody answers them, and they report nothing. */
import { providerEmulator as limits } from '../../../core/limits/index.js'
import type { EmulatedProvider } from '../contract.js'

export const receiver: Pick<
  EmulatedProvider,
  'retryAfterMs' | 'timeoutMs' | 'receiptCallback' | 'callbacksFor' | 'taps'
> = {
  retryAfterMs: [],
  timeoutMs: limits.webhookTimeoutMs.usual,
  receiptCallback: () => undefined,
  callbacksFor: () => 'Nobody answers here.',
  taps: () => [],
}

export const mailAddress = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/
