/** Builds provider calls from samples, signed or altered, and passes them to an adapter. */
import type { IngressRequest, IngressResult } from '../../../core/channel/adapter.js'
import { itemError, receivedError } from '../../../core/channel/adaptervalidation.js'
import { bindingId, describeError, ingressUrl, leaksSecret, now, type Subject } from './harness.js'
import type { CallSample } from './samples.js'

export interface Call {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly body: Uint8Array
  readonly at: number
  readonly headers: Readonly<Record<string, string>>
  /** The headers that carry the proof of origin. */
  readonly proof: readonly string[]
}

export function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  if (body === undefined) return new Uint8Array()
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** The provider's call at that time, with `body` in place of the sample's when given. */
export function callOf({ samples }: Subject, sample: CallSample, at = now, body?: Uint8Array): Call {
  const { method = 'POST', headers = {}, query, proves, signed } = sample
  const url = sample.url ?? `${ingressUrl}${query === undefined ? '' : `?${query}`}`
  const unsigned = { method, url, body: body ?? bytesOf(sample.body), at: signed && !body ? signed.at : at }
  const isSigned = proves !== 'nothing'
  const proof = !isSigned ? {} : signed && !body ? signed.headers : samples.sign(unsigned, samples.auth)
  return { ...unsigned, headers: lowercaseKeys({ ...headers, ...proof }), proof: Object.keys(lowercaseKeys(proof)) }
}

function lowercaseKeys(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

export type ReceiveResult =
  | { readonly received: IngressResult; readonly undeclared: readonly string[] }
  | { readonly failed: string }

/** The adapter's result for a call, with only the declared headers readable. */
export function receive({ adapter, samples, secrets }: Subject, call: Call): ReceiveResult {
  const { method, url, body, at, headers } = call
  const { headers: declared } = adapter.descriptor
  const undeclared = new Set<string>()
  const header = (name: string) => {
    if (declared.includes(name)) return headers[name] ?? ''
    undeclared.add(name)
    return ''
  }
  const request: IngressRequest = { bindingId, method, url, header, body, at }
  try {
    const received: unknown = adapter.receive(request, samples.auth)
    const error = receivedError(received) ?? itemsError(received as IngressResult)
    if (error) return { failed: error }
    if (leaksSecret(secrets, received)) return { failed: 'a secret stands in what was received' }
    return { received: received as IngressResult, undeclared: [...undeclared] }
  } catch (error) {
    return { failed: `\`receive\` threw ${describeError({ secrets }, error)}` }
  }
}

function itemsError(received: IngressResult): string | undefined {
  if (received.kind !== 'items') return undefined
  const otherItems = received.otherAccounts?.flatMap(({ items = [] }) => items) ?? []
  for (const item of [...received.items, ...otherItems]) {
    const error = itemError(item)
    if (error) return error
  }
  return undefined
}
