/** What a phone can show, as the platform tells when it is asked for the capabilities of one. */
import { randomUUID } from 'node:crypto'
import type { ChipKind } from '../../../core/amf/message.js'
import type { NoResponse, ProviderContext, ProviderResponse, SendOutcome } from '../../../core/channel/adapter.js'
import type { Traits } from '../../../core/channel/traits.js'
import { isRecord } from '../../../core/json.js'
import { readJson } from '../../kit/http.js'
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
const requiredFeature: Readonly<Partial<Record<ChipKind, Feature>>> = {
  url: 'ACTION_OPEN_URL',
  dial: 'ACTION_DIAL',
  calendar: 'ACTION_CREATE_CALENDAR_EVENT',
  viewLocation: 'ACTION_VIEW_LOCATION',
  shareLocation: 'ACTION_SHARE_LOCATION',
}

/** A carousel of one card is a card, so where there are no cards there are no carousels. */
export function traitsForDevice(deviceCapabilities: readonly string[]): Traits {
  const { chips, card, carousel, ...everywhere } = descriptor.traits
  const isShown = (kind: ChipKind) =>
    requiredFeature[kind] === undefined || deviceCapabilities.includes(requiredFeature[kind])
  const hasCards = supportsCards(deviceCapabilities)
  return {
    ...everywhere,
    ...(chips && { chips: { ...chips, kinds: chips.kinds.filter(isShown) } }),
    ...(card && hasCards && { card: { ...card, chipKinds: card.chipKinds.filter(isShown) } }),
    ...(carousel && hasCards && deviceCapabilities.includes('RICHCARD_CAROUSEL') && { carousel }),
  }
}

/** Of whom nothing is known everything is expected. */
export function supportsCards(deviceCapabilities: readonly string[] | undefined): boolean {
  return deviceCapabilities === undefined || deviceCapabilities.includes('RICHCARD_STANDALONE')
}

/** A question under an id that was asked before is ignored, so each has one of its own. */
export async function fetchCapabilities(
  address: string,
  context: ProviderContext<RbmAuth>,
): Promise<ProviderResponse | NoResponse | SendOutcome> {
  const url = phoneUrl(context.auth, address, 'capabilities', { requestId: randomUUID() })
  return callWithToken(context, { method: 'GET', url })
}

/** The features of a phone that lacks some; undefined for one that has all, and where nobody can say. */
export async function limitedFeatures(
  address: string,
  context: ProviderContext<RbmAuth>,
): Promise<readonly string[] | undefined> {
  const answer = await fetchCapabilities(address, context)
  const body = answer.kind === 'answer' && answer.status === 200 ? readJson(Buffer.from(answer.body)) : undefined
  if (!isRecord(body)) return undefined
  // A list without entries is left out of an answer.
  const { features: supported = [] } = body
  if (!Array.isArray(supported)) return undefined
  const recognized = features.filter((feature) => supported.includes(feature))
  return recognized.length < features.length ? recognized : undefined
}
