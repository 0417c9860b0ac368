/** Files that people share on Slack: files on Slack open with the bot token, files elsewhere by their own URL. */
import type { ProviderContext } from '../../../core/channel/adapter.js'
import type { UserMedia } from '../../../core/channel/inbound.js'
import type { MediaAccess, ProviderMedia } from '../../../core/channel/providermedia.js'
import { isRecord } from '../../../core/json.js'
import { adapter as limits } from '../../../core/limits/index.js'
import { asText, isTrusted } from '../../kit/http.js'
import type { SlackAuth } from './descriptor.js'

const isSlackUrl = (url: string, { apiUrl }: SlackAuth) => isTrusted(url, apiUrl, ['slack.com'])

/** A file may be shared from another host, which must not get the token. */
export function mediaFrom(file: unknown, auth: SlackAuth): (UserMedia | ProviderMedia)[] {
  if (!isRecord(file)) return []
  const { url_private: at, mimetype, name } = file
  const short = (value: unknown) =>
    typeof value === 'string' && value.length <= limits.detailChars ? value : undefined
  const [url, type, fileName] = [asText(at), short(mimetype), short(name)]
  const details = { ...(type && { type }), ...(fileName && { name: fileName }) }
  if (!url || !isSlackUrl(url, auth)) return url ? [{ url, ...details }] : []
  const mediaRef = new URL(url).href
  return mediaRef.length <= limits.mediaRefChars ? [{ mediaRef, ...details }] : []
}

/** Checked again, since the credentials may have changed after `receive`. */
export async function openMedia(url: string, { auth }: ProviderContext<SlackAuth>): Promise<MediaAccess> {
  return isSlackUrl(url, auth)
    ? { kind: 'at', url, headers: { authorization: `Bearer ${auth.botToken}` } }
    : { kind: 'refused', detail: 'The file is not where Slack keeps files.' }
}
