/** Media parts: whether a channel takes a picture, video, audio or file, judged by its URL. */

import type { RenderedMedia } from '../channel/blocks.js'
import type { Traits } from '../channel/traits.js'
import { isAlways, type Ladder, type PartOf, textDraft } from './fragments.js'
import { type Line, literal } from './lines.js'

type Kind = RenderedMedia['kind']
type Links = ReadonlyMap<string, string>

/** A URL written out, below the name and size of its file if those are known. */
export function linkTo(url: string | undefined, links?: Links): Line[] {
  if (url === undefined) return []
  const label = links?.get(url)
  return [...(label === undefined ? [] : literal(label)), ...literal(url)]
}

const typeByExtension: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  heic: 'image/heic',
  mp4: 'video/mp4',
  m4v: 'video/x-m4v',
  mpeg: 'video/mpeg',
  webm: 'video/webm',
  mov: 'video/quicktime',
  '3gp': 'video/3gpp',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  amr: 'audio/amr',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  pdf: 'application/pdf',
  txt: 'text/plain',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

function typeOf(url: string): string | undefined {
  const path = url.replace(/[?#].*$/s, '')
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  return Object.hasOwn(typeByExtension, extension) ? typeByExtension[extension] : undefined
}

function kindOfType(type: string): Kind {
  const [first] = type.split('/')
  return first === 'image' || first === 'video' || first === 'audio' ? first : 'file'
}

/** A URL without a known extension is accepted; the type is certain only after the file has been fetched. */
function isSupported({ media }: Traits, kind: Kind, url: string, links?: Links): boolean {
  if (!media || links?.has(url)) return false
  const type = typeOf(url)
  if (type === undefined) return media.types.some((each) => kindOfType(each) === kind)
  // Any type may be sent as a file; other kinds must match the type.
  return media.types.includes(type) && (kind === 'file' || kindOfType(type) === kind)
}

/**
 * The media of a card: a video if the URL has a video extension, otherwise a picture. Undefined if the channel cannot
 * show it.
 */
export function mediaOf(url: string, traits: Traits, links?: Links): RenderedMedia | undefined {
  const type = typeOf(url)
  const kind = type !== undefined && kindOfType(type) === 'video' ? 'video' : 'image'
  return isSupported(traits, kind, url, links) ? { url, kind } : undefined
}

export const mediaLadder: Ladder<PartOf<'media'>> = [
  {
    name: 'media',
    level: 'native',
    has: ({ media }) => !!media,
    show: ({ mediaUrl, kind, alt, thumbnailUrl }, { traits, format: { links, names } }) => {
      if (!isSupported(traits, kind, mediaUrl, links)) return undefined
      const isLinked = thumbnailUrl !== undefined && links?.has(thumbnailUrl) === true
      const name = kind === 'file' ? names?.get(mediaUrl) : undefined
      const media = {
        url: mediaUrl,
        kind,
        ...(name !== undefined && { name }),
        ...(alt !== undefined && { alt }),
        ...(thumbnailUrl !== undefined && !isLinked && { thumbnailUrl }),
      }
      const after = isLinked ? [textDraft(linkTo(thumbnailUrl, links))] : []
      return { drafts: [{ kind: 'media', media, lines: [], chips: [] }, ...after], numbered: [] }
    },
  },
  {
    name: 'address',
    level: 'text',
    has: isAlways,
    show: ({ mediaUrl, alt, thumbnailUrl }, { format: { links } }) => ({
      drafts: [
        textDraft([...(alt === undefined ? [] : literal(alt)), ...linkTo(mediaUrl, links), ...linkTo(thumbnailUrl)]),
      ],
      numbered: [],
    }),
  },
]
