/** Pictures that people send: what Twilio keeps opens with the account, which sends us on to where the bytes are. */

import type { Reaching } from '../../../core/channel/adapter.js'
import type { HeldMedia, MediaOpening } from '../../../core/channel/held.js'
import type { UserMedia } from '../../../core/channel/inbound.js'
import { adapter as limits } from '../../../core/limits.js'
import { isTrusted } from '../../kit/wire.js'
import { basicOf, type TwilioAuth } from './descriptor.js'

const isTwilios = (url: string, { apiUrl }: TwilioAuth) => isTrusted(url, apiUrl, ['twilio.com'])

export function mediaAt(url: string, type: string, auth: TwilioAuth): (UserMedia | HeldMedia)[] {
  const about = type === '' ? {} : { type }
  if (!isTwilios(url, auth)) return url === '' ? [] : [{ url, ...about }]
  const held = new URL(url).href
  return held.length <= limits.heldChars ? [{ held, ...about }] : []
}

/** Asked again, since credentials may have been changed after it was told. */
export async function openMedia(url: string, { auth }: Reaching<TwilioAuth>): Promise<MediaOpening> {
  return isTwilios(url, auth)
    ? { kind: 'at', url, headers: { authorization: basicOf(auth) } }
    : { kind: 'refused', detail: 'The picture is not where Twilio keeps them.' }
}
