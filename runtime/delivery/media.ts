/** Media of a message: fetched and rehosted before the message is accepted. */
import { type ContentMessage, mediaUrlsIn } from '../../core/amf/index.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { media as limits } from '../../core/limits/index.js'
import { type HostedFile, type LinkedFile, type MediaFiles, mediaPartUrls } from '../../core/render/hostedmedia.js'
import type { Media, Unreachable } from '../media/contract.js'
import { everyType } from '../media/types.js'

type Hosting = MediaFiles | Unreachable | Refusal

const anyMedia = { types: everyType, maxBytes: limits.maxBytes }
export const noFiles: MediaFiles = {}

/**
 * Rehosts the files of a message that are not in `hosted`; synchronous when there is nothing to fetch. A media part
 * that cannot be fetched is the reason of a rejection. A picture that cannot be fetched, and a file that is too large
 * or of an unknown type, stays a link.
 */
export function hostMedia(
  media: Pick<Media, 'rehost'>,
  message: ContentMessage,
  hosted: MediaFiles = noFiles,
  signal?: AbortSignal,
): Hosting | Promise<Hosting> {
  const urls = mediaUrlsIn(message).filter((url) => !Object.hasOwn(hosted, url))
  return urls.length === 0 ? hosted : hostAll(urls, media, message, hosted, signal)
}

async function hostAll(
  urls: readonly string[],
  media: Pick<Media, 'rehost'>,
  message: ContentMessage,
  hosted: MediaFiles,
  signal?: AbortSignal,
): Promise<Hosting> {
  const results = await Promise.all(urls.map((url) => media.rehost(url, anyMedia, signal)))
  const own = mediaPartUrls(message.parts)
  const files: [string, HostedFile | LinkedFile][] = []
  for (const [nth, url] of urls.entries()) {
    const result = results[nth]!
    if (isRefusal(result)) return result
    if (!('reason' in result)) files.push([url, { url: result.url, type: result.type, bytes: result.bytes }])
    else if (result.why === 'type' || result.why === 'size') files.push([url, {}])
    else if (own.has(url)) return result
    else files.push([url, { missing: result.detail }])
  }
  return { ...hosted, ...Object.fromEntries(files) }
}

/** Whether hosting returned files; otherwise its result says why the message cannot be sent. */
export function isHosted(hosting: Hosting): hosting is MediaFiles {
  return !isRefusal(hosting) && !isUnreachable(hosting)
}

function isUnreachable(hosting: MediaFiles | Unreachable): hosting is Unreachable {
  return 'reason' in hosting && hosting.reason === 'mediaUnreachable'
}
