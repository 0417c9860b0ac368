/** Calls of emulated providers to their customers, retried as each provider retries them. */
import type { Account, Call, EmulatedProvider, SmppCall, WebhookAnswer, WebhookCall } from './contract.js'

/** One HTTP exchange that never rejects; undefined when there was no answer in time. */
export type CallWebhook = (call: WebhookCall & { readonly timeoutMs: number }) => Promise<WebhookAnswer | undefined>
/** Sends a PDU to a session of the account; false when no session is bound or the customer does not accept it. */
export type CallSmppSession = (account: Account, call: SmppCall) => Promise<boolean>

/** Timers that stop with the emulator. */
export interface Timers {
  after(ms: number, call: () => void): void
  stop(): void
}

export interface CallbackSender {
  /** Resolves after the first try: true when the customer accepted the call. Retries continue in the background. */
  send(account: Account, provider: EmulatedProvider, call: Call): Promise<boolean>
}

interface Transports {
  readonly webhook: CallWebhook
  readonly smpp: CallSmppSession
  readonly timers: Timers
}

export function createCallbackSender({ webhook, smpp, timers }: Transports): CallbackSender {
  async function attemptOnce(
    account: Account,
    provider: EmulatedProvider,
    call: Call,
    retries: number,
  ): Promise<'taken' | 'retry' | 'never'> {
    if ('pdu' in call) return (await smpp(account, call)) ? 'taken' : 'retry'
    const headers = retries > 0 ? { ...call.headers, ...provider.retryHeaders?.(retries) } : call.headers
    const answer = await webhook({ ...call, headers, timeoutMs: provider.timeoutMs })
    if (answer && answer.status >= 200 && answer.status < 300) return 'taken'
    return answer && provider.refusesRetry?.(answer) ? 'never' : 'retry'
  }

  async function sendWithRetries(
    account: Account,
    provider: EmulatedProvider,
    call: Call,
    retries: number,
  ): Promise<boolean> {
    const outcome = await attemptOnce(account, provider, call, retries)
    if (outcome === 'taken') return true
    const wait = provider.retryAfterMs[retries]
    if (outcome === 'retry' && wait !== undefined) {
      timers.after(wait, () => void sendWithRetries(account, provider, call, retries + 1))
    }
    return false
  }

  return { send: (account, provider, call) => sendWithRetries(account, provider, call, 0) }
}

/** `scale` divides every delay. */
export function createTimers(scale: number): Timers {
  const pending = new Set<NodeJS.Timeout>()
  return {
    after(ms, call) {
      const timer = setTimeout(() => {
        pending.delete(timer)
        call()
      }, ms / scale)
      timer.unref()
      pending.add(timer)
    },
    stop() {
      for (const timer of pending) clearTimeout(timer)
      pending.clear()
    },
  }
}
