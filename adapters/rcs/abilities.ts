/** What a phone can show, as the platform tells when it is asked for the capabilities of one. */
import { randomUUID } from 'node:crypto'
import type { ChipKind } from '../../core/amf/message.js'
import type { NoAnswer, ProviderAnswer, Reaching, SendOutcome } from '../../core/channel/adapter.js'
import type { Traits } from '../../core/channel/traits.js'
import { isRecord } from '../../core/json.js'
import { readJson } from '../kit/wire.js'
import { descriptor, phoneUrl, type RbmAuth } from './descriptor.js'
import { callWithToken } from './token.js'

/** Every feature that the platform knows. */
export const features = [
  'REVOCATION',
  'RICHCARD_STANDALONE',
  'RICHCARD_CAROUSEL',
  'ACTION_CREATE_CALENDAR_EVENT',
  'ACTION_DIAL',
  'ACTION_OPEN_URL',
  'ACTION_SHARE_LOCATION',
  'ACTION_VIEW_LOCATION',
] as const
type Feature = (typeof features)[number]

/** A reply is a feature of none: it shows everywhere. */
const needs: Readonly<Partial<Record<ChipKind, Feature>>> = {
  url: 'ACTION_OPEN_URL',
  dial: 'ACTION_DIAL',
  calendar: 'ACTION_CREATE_CALENDAR_EVENT',
  viewLocation: 'ACTION_VIEW_LOCATION',
  shareLocation: 'ACTION_SHARE_LOCATION',
}

/** A carousel of one card is a card, so where there are no cards there are no carousels. */
export function traitsWith(abilities: readonly string[]): Traits {
  const { chips, card, carousel, ...everywhere } = descriptor.traits
  const isShown = (kind: ChipKind) => needs[kind] === undefined || abilities.includes(needs[kind])
  const hasCards = showsCards(abilities)
  return {
    ...everywhere,
    ...(chips && { chips: { ...chips, kinds: chips.kinds.filter(isShown) } }),
    ...(card && hasCards && { card: { ...card, chipKinds: card.chipKinds.filter(isShown) } }),
    ...(carousel && hasCards && abilities.includes('RICHCARD_CAROUSEL') && { carousel }),
  }
}

/** Of whom nothing is known everything is expected. */
export function showsCards(abilities: readonly string[] | undefined): boolean {
  return abilities === undefined || abilities.includes('RICHCARD_STANDALONE')
}

/** A question under an id that was asked before is ignored, so each has one of its own. */
export async function askCapabilities(
  address: string,
  reaching: Reaching<RbmAuth>,
): Promise<ProviderAnswer | NoAnswer | SendOutcome> {
  const url = phoneUrl(reaching.auth, address, 'capabilities', { requestId: randomUUID() })
  return callWithToken(reaching, { method: 'GET', url })
}

/** The features of a phone that lacks some; undefined for one that has all, and where nobody can say. */
export async function fewerFeatures(
  address: string,
  reaching: Reaching<RbmAuth>,
): Promise<readonly string[] | undefined> {
  const answer = await askCapabilities(address, reaching)
  const body = answer.kind === 'answer' && answer.status === 200 ? readJson(Buffer.from(answer.body)) : undefined
  if (!isRecord(body)) return undefined
  // A list without entries is left out of an answer.
  const { features: told = [] } = body
  if (!Array.isArray(told)) return undefined
  const known = features.filter((feature) => told.includes(feature))
  return known.length < features.length ? known : undefined
}
