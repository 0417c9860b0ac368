/** Files of a message: fetched and hosted before the message is accepted. */
import { type ContentMessage, mediaUrlsIn } from '../../core/amf/index.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { media as limits } from '../../core/limits.js'
import { type HostedFile, type LinkedFile, type MediaFiles, ownMediaIn } from '../../core/render/hostedmedia.js'
import type { Media, Unreachable } from '../media/contract.js'
import { everyType } from '../media/types.js'

type Hosting = MediaFiles | Unreachable | Refusal

const anyMedia = { types: everyType, maxBytes: limits.maxBytes }
export const noFiles: MediaFiles = {}

/**
 * Fetches and hosts the files of a message that are not among those known; at once where there is nothing to fetch. Media
 * that is sent for itself and cannot be fetched is the reason of a refusal. A picture that cannot be fetched, or a file
 * that is too large or of an unknown type, stays a link.
 */
export function hostMedia(
  media: Pick<Media, 'hosted'>,
  message: ContentMessage,
  known: MediaFiles = noFiles,
  signal?: AbortSignal,
): Hosting | Promise<Hosting> {
  const urls = mediaUrlsIn(message).filter((url) => !Object.hasOwn(known, url))
  return urls.length === 0 ? known : hostAll(urls, media, message, known, signal)
}

async function hostAll(
  urls: readonly string[],
  media: Pick<Media, 'hosted'>,
  message: ContentMessage,
  known: MediaFiles,
  signal?: AbortSignal,
): Promise<Hosting> {
  const found = await Promise.all(urls.map((url) => media.hosted(url, anyMedia, signal)))
  const own = ownMediaIn(message.parts)
  const files: [string, HostedFile | LinkedFile][] = []
  for (const [nth, url] of urls.entries()) {
    const one = found[nth]!
    if (isRefusal(one)) return one
    if (!('reason' in one)) files.push([url, { url: one.url, type: one.type, bytes: one.bytes }])
    else if (one.why === 'type' || one.why === 'size') files.push([url, {}])
    else if (own.has(url)) return one
    else files.push([url, { missing: one.detail }])
  }
  return { ...known, ...Object.fromEntries(files) }
}

/** Whether hosting ended with files; otherwise with why the message cannot be sent. */
export function isHosted(hosting: Hosting): hosting is MediaFiles {
  return !isRefusal(hosting) && !isUnreachable(hosting)
}

function isUnreachable(hosting: MediaFiles | Unreachable): hosting is Unreachable {
  return 'reason' in hosting && hosting.reason === 'mediaUnreachable'
}
