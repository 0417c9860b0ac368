/** Sends one request to the provider and returns its outcome. All network access is through `context.call`. */
// @ts-check
import { asText, isRecord, noAnswer, readJson, unavailable } from 'parley/adapters/kit'

/** @typedef {import('parley/adapters/kit').SendOutcome} SendOutcome */
/** @typedef {import('./descriptor.js').Auth} Auth */
/** @typedef {import('./render.js').Payload} Payload */

const usualUrl = 'https://api.{{provider}}.example/v1'

/**
 * Outcomes by the provider's error code. `never` ends the message, `otherChannel` fails over to the person's next
 * channel, `later` retries.
 * @type {Readonly<Record<string, Extract<SendOutcome, { kind: 'refused' }>>>}
 */
const refusals = {
  unknown_recipient: { kind: 'refused', reason: 'unknownRecipient', retry: 'otherChannel' },
  opted_out: { kind: 'refused', reason: 'optedOut', retry: 'never' },
  media_unreachable: { kind: 'refused', reason: 'mediaUnreachable', retry: 'otherChannel' },
  invalid_message: { kind: 'refused', reason: 'invalidMessage', retry: 'never' },
}

/**
 * @param {Payload} payload
 * @param {import('parley/adapters/kit').SendContext<Auth>} context
 * @returns {Promise<SendOutcome>}
 */
export async function send(payload, { auth, address, id, call }) {
  const answer = await call({
    method: 'POST',
    url: `${auth.apiUrl ?? usualUrl}/accounts/${encodeURIComponent(auth.accountId)}/messages`,
    // The same id for every attempt, so that the provider sends the message once.
    headers: { authorization: `Bearer ${auth.apiKey}`, 'content-type': 'application/json', 'idempotency-key': id },
    body: JSON.stringify({ to: address, message: payload }),
  })
  if (answer.kind === 'none') return noAnswer(answer)
  const failure = unavailable(answer.status, answer.header('retry-after'))
  if (failure) return failure
  const read = readJson(Buffer.from(answer.body))
  const body = isRecord(read) ? read : {}
  if (answer.status >= 200 && answer.status < 300) return { kind: 'sent', providerId: asText(body.id) || id }
  const known = refusals[asText(body.code) ?? '']
  if (known) return known
  if (answer.status === 401 || answer.status === 403) {
    const detail = `The provider does not take the credentials (${answer.status}).`
    return { kind: 'refused', reason: 'sendFailed', detail, retry: 'otherChannel', needsOperator: true }
  }
  // The provider's text is not repeated, since it may contain secrets.
  return {
    kind: 'refused',
    reason: 'sendFailed',
    detail: `The provider answered ${answer.status}.`,
    retry: 'otherChannel',
  }
}
