/** Device capabilities of a phone, as the platform answers a capability check, and the traits that follow from them. */
import { randomUUID } from 'node:crypto'
import type { ChipKind } from '../../../core/amf/message.js'
import type { NoResponse, ProviderContext, ProviderResponse, SendOutcome } from '../../../core/channel/adapter.js'
import type { Traits } from '../../../core/channel/traits.js'
import { isRecord } from '../../../core/json.js'
import { readJson } from '../../kit/http.js'
import { descriptor, phoneUrl, type RbmAuth } from './descriptor.js'
import { callWithToken } from './token.js'

/** All features of the platform. */
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

/** Replies need no feature: every phone shows them. */
const requiredFeature: Readonly<Partial<Record<ChipKind, Feature>>> = {
  url: 'ACTION_OPEN_URL',
  dial: 'ACTION_DIAL',
  calendar: 'ACTION_CREATE_CALENDAR_EVENT',
  viewLocation: 'ACTION_VIEW_LOCATION',
  shareLocation: 'ACTION_SHARE_LOCATION',
}

/** A carousel of one card is a card, so a phone without cards gets no carousels. */
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

/** A phone of unknown capabilities is expected to have all. */
export function supportsCards(deviceCapabilities: readonly string[] | undefined): boolean {
  return deviceCapabilities === undefined || deviceCapabilities.includes('RICHCARD_STANDALONE')
}

/** Each check needs a request id of its own: the platform ignores a repeated one. */
export async function fetchCapabilities(
  address: string,
  context: ProviderContext<RbmAuth>,
): Promise<ProviderResponse | NoResponse | SendOutcome> {
  const url = phoneUrl(context.auth, address, 'capabilities', { requestId: randomUUID() })
  return callWithToken(context, { method: 'GET', url })
}

/** The features of a phone that lacks some; undefined for a phone with all features, and when the check fails. */
export async function limitedFeatures(
  address: string,
  context: ProviderContext<RbmAuth>,
): Promise<readonly string[] | undefined> {
  const answer = await fetchCapabilities(address, context)
  const body = answer.kind === 'answer' && answer.status === 200 ? readJson(Buffer.from(answer.body)) : undefined
  if (!isRecord(body)) return undefined
  // The platform omits empty lists from its answers.
  const { features: supported = [] } = body
  if (!Array.isArray(supported)) return undefined
  const recognized = features.filter((feature) => supported.includes(feature))
  return recognized.length < features.length ? recognized : undefined
}
