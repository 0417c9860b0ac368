/**
 * Redelivery of a message that an earlier attempt may have submitted: asks a provider that can look up its messages
 * first; to any other provider, the message is submitted for the last time.
 */
import type { FindContext, FindOutcome, SendContext, SendOutcome } from '../../core/channel/adapter.js'
import type { HostedAdapter } from '../../core/channel/hostedadapter.js'
import type { DeliveryOutcome } from '../../core/conversation/outcome.js'

export type EarlierAttempt = Pick<FindContext<unknown>, 'since' | 'isKnown'>

type PieceOutcome =
  | Extract<SendOutcome, { readonly kind: 'sent' }>
  | (Omit<Extract<SendOutcome, { readonly kind: 'refused' }>, 'isUnknown'> &
      Pick<Extract<DeliveryOutcome, { readonly kind: 'refused' }>, 'isUnknown' | 'isAbsent'>)

/** Sends the pieces of one message in order. If the provider does not have a piece, it has none of the later ones. */
export function createPieceSender(adapter: HostedAdapter, { since, isKnown }: Partial<EarlierAttempt>) {
  let isUncertain = since !== undefined && isKnown !== undefined
  let isAbsent = false
  return {
    async send(payload: unknown, sendContext: SendContext<unknown>): Promise<PieceOutcome> {
      if (isUncertain && adapter.find) {
        const lookup = await findPiece(adapter.find, payload, { ...sendContext, since: since!, isKnown: isKnown! })
        if (lookup.kind === 'found') return { kind: 'sent', providerId: lookup.providerId }
        if (lookup.kind === 'unknown') {
          return { kind: 'refused', reason: 'sendFailed', detail: lookup.detail, retry: 'later', isUnknown: true }
        }
        isUncertain = false
        isAbsent = true
      }
      const outcome = await attempt(adapter, payload, sendContext)
      if (outcome.kind === 'sent') return outcome
      const { isUnknown, ...rest } = outcome
      return {
        ...rest,
        ...(isUnknown && { isUnknown: isUncertain ? 'last' : true }),
        ...(isAbsent && { isAbsent }),
      }
    },
  }
}

/** An adapter that throws has a bug: the message fails on this channel, although the provider may have it. */
async function attempt(
  adapter: HostedAdapter,
  payload: unknown,
  sendContext: SendContext<unknown>,
): Promise<SendOutcome> {
  try {
    return await adapter.send(payload, sendContext)
  } catch {
    return {
      kind: 'refused',
      reason: 'sendFailed',
      detail: 'The adapter of the channel failed.',
      retry: 'otherChannel',
    }
  }
}

async function findPiece(
  find: NonNullable<HostedAdapter['find']>,
  payload: unknown,
  finding: FindContext<unknown>,
): Promise<FindOutcome> {
  try {
    return await find(payload, finding)
  } catch {
    return { kind: 'unknown', detail: 'The adapter of the channel failed.' }
  }
}
