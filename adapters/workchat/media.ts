/** Files that people share on Slack: those that Slack keeps open with the token of the bot, those of others by themselves. */
import type { Reaching } from '../../core/channel/adapter.js'
import type { HeldMedia, MediaOpening } from '../../core/channel/held.js'
import type { UserMedia } from '../../core/channel/inbound.js'
import { isRecord } from '../../core/json.js'
import { adapter as limits } from '../../core/limits.js'
import { asText, isTrusted } from '../kit/wire.js'
import type { SlackAuth } from './descriptor.js'

const isSlacks = (url: string, { apiUrl }: SlackAuth) => isTrusted(url, apiUrl, ['slack.com'])

/** A file may be shared from where somebody else keeps it, and the token is not for them. */
export function mediaFrom(file: unknown, auth: SlackAuth): (UserMedia | HeldMedia)[] {
  if (!isRecord(file)) return []
  const { url_private: at, mimetype, name } = file
  const short = (value: unknown) =>
    typeof value === 'string' && value.length <= limits.detailChars ? value : undefined
  const [url, type, called] = [asText(at), short(mimetype), short(name)]
  const about = { ...(type && { type }), ...(called && { name: called }) }
  if (!url || !isSlacks(url, auth)) return url ? [{ url, ...about }] : []
  const held = new URL(url).href
  return held.length <= limits.heldChars ? [{ held, ...about }] : []
}

/** Asked again, since credentials may have been changed after it was told. */
export async function openMedia(url: string, { auth }: Reaching<SlackAuth>): Promise<MediaOpening> {
  return isSlacks(url, auth)
    ? { kind: 'at', url, headers: { authorization: `Bearer ${auth.botToken}` } }
    : { kind: 'refused', detail: 'The file is not where Slack keeps files.' }
}
