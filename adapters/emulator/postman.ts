/** Carries what providers tell to their customers, and again when it was not taken, as each provider does. */
import type { Account, Call, LineCall, WebhookCall, Wire } from './contract.js'

export interface WebhookAnswer {
  readonly status: number
  readonly header: (name: string) => string
  readonly body: string
}

/** One HTTP exchange that never rejects; undefined when there was no answer in time. */
export type CallWebhook = (call: WebhookCall & { readonly timeoutMs: number }) => Promise<WebhookAnswer | undefined>
/** Hands a PDU to a line of the account; false when there is none or it was not taken. */
export type CallLine = (account: Account, call: LineCall) => Promise<boolean>

/** Waits that end with the emulator. */
export interface Timing {
  after(ms: number, call: () => void): void
  stop(): void
}

export interface Postman {
  /** Resolves after the first try, with whether it was taken; further tries go on behind. */
  carry(account: Account, wire: Wire, call: Call): Promise<boolean>
}

interface Ways {
  readonly webhook: CallWebhook
  readonly line: CallLine
  readonly timing: Timing
}

export function openPostman({ webhook, line, timing }: Ways): Postman {
  async function once(account: Account, wire: Wire, call: Call, nth: number): Promise<'taken' | 'again' | 'never'> {
    if ('pdu' in call) return (await line(account, call)) ? 'taken' : 'again'
    const headers = nth > 0 && wire.name === 'slack' ? { ...call.headers, ...slackRetry(nth) } : call.headers
    const answer = await webhook({ ...call, headers, timeoutMs: wire.patienceMs })
    if (answer && answer.status >= 200 && answer.status < 300) return 'taken'
    return wire.name === 'slack' && answer?.header('x-slack-no-retry') === '1' ? 'never' : 'again'
  }

  async function attempt(account: Account, wire: Wire, call: Call, nth: number): Promise<boolean> {
    const outcome = await once(account, wire, call, nth)
    if (outcome === 'taken') return true
    const wait = wire.retryAfterMs[nth]
    if (outcome === 'again' && wait !== undefined) {
      timing.after(wait, () => void attempt(account, wire, call, nth + 1))
    }
    return false
  }

  return { carry: (account, wire, call) => attempt(account, wire, call, 0) }
}

function slackRetry(nth: number) {
  return { 'x-slack-retry-num': String(nth), 'x-slack-retry-reason': 'http_error' }
}

/** `scale` makes every wait that many times shorter. */
export function openTiming(scale: number): Timing {
  const waiting = new Set<NodeJS.Timeout>()
  return {
    after(ms, call) {
      const timer = setTimeout(() => {
        waiting.delete(timer)
        call()
      }, ms / scale)
      timer.unref()
      waiting.add(timer)
    },
    stop() {
      for (const timer of waiting) clearTimeout(timer)
      waiting.clear()
    },
  }
}
