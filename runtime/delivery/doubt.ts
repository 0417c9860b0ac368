/**
 * Hands over a message that an earlier try may have handed over: a provider that can be asked for its messages is asked
 * first, and any other is given the message for the last time.
 */
import type { Finding, FindOutcome, Sending, SendOutcome } from '../../core/channel/adapter.js'
import type { HostedAdapter } from '../../core/channel/hosted.js'
import type { DeliveryOutcome } from '../../core/conversation/outcome.js'

export type Doubt = Pick<Finding<unknown>, 'since' | 'isKnown'>

type PieceOutcome =
  | Extract<SendOutcome, { readonly kind: 'sent' }>
  | (Omit<Extract<SendOutcome, { readonly kind: 'refused' }>, 'isUnknown'> &
      Pick<Extract<DeliveryOutcome, { readonly kind: 'refused' }>, 'isUnknown' | 'isAbsent'>)

/** Sends the pieces of one message in their order. Behind a piece that the provider does not have, it has none. */
export function askFirst(adapter: HostedAdapter, { since, isKnown }: Partial<Doubt>) {
  let isDoubtful = since !== undefined && isKnown !== undefined
  let isAbsent = false
  return {
    async send(wire: unknown, sending: Sending<unknown>): Promise<PieceOutcome> {
      if (isDoubtful && adapter.find) {
        const found = await findPiece(adapter.find, wire, { ...sending, since: since!, isKnown: isKnown! })
        if (found.kind === 'found') return { kind: 'sent', providerId: found.providerId }
        if (found.kind === 'unknown') {
          return { kind: 'refused', reason: 'sendFailed', detail: found.detail, again: 'later', isUnknown: true }
        }
        isDoubtful = false
        isAbsent = true
      }
      const outcome = await attempt(adapter, wire, sending)
      if (outcome.kind === 'sent') return outcome
      const { isUnknown, ...rest } = outcome
      return {
        ...rest,
        ...(isUnknown && { isUnknown: isDoubtful ? 'last' : true }),
        ...(isAbsent && { isAbsent }),
      }
    },
  }
}

/** An adapter that throws has a bug; what it was about to do may or may not have been done. */
async function attempt(adapter: HostedAdapter, wire: unknown, sending: Sending<unknown>): Promise<SendOutcome> {
  try {
    return await adapter.send(wire, sending)
  } catch {
    return { kind: 'refused', reason: 'sendFailed', detail: 'The adapter of the channel failed.', again: 'elsewhere' }
  }
}

async function findPiece(
  find: NonNullable<HostedAdapter['find']>,
  wire: unknown,
  finding: Finding<unknown>,
): Promise<FindOutcome> {
  try {
    return await find(wire, finding)
  } catch {
    return { kind: 'unknown', detail: 'The adapter of the channel failed.' }
  }
}
