/** Opens media that people send: Twilio's URL needs the account's credentials and redirects to the bytes. */

import type { ProviderContext } from '../../../core/channel/adapter.js'
import type { UserMedia } from '../../../core/channel/inbound.js'
import type { MediaAccess, ProviderMedia } from '../../../core/channel/providermedia.js'
import { adapter as limits } from '../../../core/limits/index.js'
import { isTrusted } from '../../kit/http.js'
import { basicAuth, type TwilioAuth } from './descriptor.js'

const isTwilioUrl = (url: string, { apiUrl }: TwilioAuth) => isTrusted(url, apiUrl, ['twilio.com'])

export function mediaAt(url: string, type: string, auth: TwilioAuth): (UserMedia | ProviderMedia)[] {
  const details = type === '' ? {} : { type }
  if (!isTwilioUrl(url, auth)) return url === '' ? [] : [{ url, ...details }]
  const mediaRef = new URL(url).href
  return mediaRef.length <= limits.mediaRefChars ? [{ mediaRef, ...details }] : []
}

/** Checked again, since the credentials may have changed after `receive`. */
export async function openMedia(url: string, { auth }: ProviderContext<TwilioAuth>): Promise<MediaAccess> {
  return isTwilioUrl(url, auth)
    ? { kind: 'at', url, headers: { authorization: basicAuth(auth) } }
    : { kind: 'refused', detail: 'The picture is not where Twilio keeps them.' }
}
