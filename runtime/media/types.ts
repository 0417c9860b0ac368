/**
 * Media types by the first bytes of the content. Content of a type outside of this table (html, svg, scripts) is never
 * served.
 */
import { isUtf8 } from 'node:buffer'
import type { MediaRequirements } from './contract.js'

export interface MediaType {
  readonly type: string
  /** Each type has one extension and each extension one type: the name of an object determines its type. */
  readonly extension: string
  /** Opened by programs instead of shown in place, so browsers are told to save it. */
  readonly isDownload?: true
  /** For types with the same first bytes: the extension in the URL decides between them. */
  readonly fileExtensions?: readonly string[]
  readonly matches: (head: Buffer) => boolean
}

const startsWith =
  (...starts: readonly (string | readonly number[])[]) =>
  (head: Buffer): boolean =>
    starts.some((start) => {
      const expected = typeof start === 'string' ? Buffer.from(start, 'latin1') : Buffer.from(start)
      return head.subarray(0, expected.length).equals(expected)
    })

const riff = (form: string) => (head: Buffer) => startsWith('RIFF')(head) && head.toString('latin1', 8, 12) === form

/**
 * Matches ISO base media files by brand. The major brand decides; if it only names the family, the compatible brands
 * decide.
 */
function hasBrand(...brands: readonly string[]): (head: Buffer) => boolean {
  return (head) => {
    const [major, ...others] = brandsOf(head)
    if (major === undefined) return false
    if (decisive.has(major)) return brands.includes(major)
    return brands.includes(others.find((brand) => decisive.has(brand)) ?? '')
  }
}

const movieBrands = [
  'isom',
  'iso2',
  'iso4',
  'iso5',
  'iso6',
  'mp41',
  'mp42',
  'avc1',
  'dash',
  'MSNV',
  'M4V ',
  'M4VH',
  'M4VP',
]
const soundBrands = ['M4A ', 'M4B ']
const phoneBrands = ['3gp4', '3gp5', '3gp6', '3gp7', '3gp8', '3gp9', '3gg6', '3ge6', '3ge7']
const decisive = new Set([...movieBrands, ...soundBrands, ...phoneBrands, 'qt  '])

function brandsOf(head: Buffer): string[] {
  if (head.length < 16 || head.toString('latin1', 4, 8) !== 'ftyp') return []
  const end = Math.min(head.readUInt32BE(0), head.length)
  const brands = [head.toString('latin1', 8, 12)]
  for (let at = 16; at + 4 <= end; at += 4) brands.push(head.toString('latin1', at, at + 4))
  return brands
}

/** An MPEG audio frame header of that layer without forbidden values in its fields. */
const frame = (layer: number) => (head: Buffer) => {
  if (head.length < 4) return false
  const [first, second, third] = [head[0]!, head[1]!, head[2]!]
  if (first !== 0xff || (second & 0xe0) !== 0xe0 || ((second >> 1) & 3) !== layer) return false
  if (layer === 0) return (second & 0x10) !== 0 && ((third >> 2) & 15) < 13
  return ((second >> 3) & 3) !== 1 && third >> 4 !== 15 && ((third >> 2) & 3) !== 3
}
const layer3 = 1
/** AAC has zeros where MPEG audio has the layer. */
const noLayer = 0

const text = (firstLine: string) => (head: Buffer) => {
  const start = head.toString('utf8').replace(/^\uFEFF/, '')
  return start.slice(0, firstLine.length).toUpperCase() === firstLine && /^\r?\n/.test(start.slice(firstLine.length))
}

const page = /^\s*(<!doctype html|<html)/i
const markup = /^\s*</
const whitespace = [0x09, 0x0a, 0x0c, 0x0d]
const isZip = startsWith([0x50, 0x4b, 0x03, 0x04])
/** The container of Office formats before 2007. */
const isCompoundFile = startsWith([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])

/** UTF-8 text without anything that browsers take for markup. The head may end within a character. */
function isPlainText(head: Buffer): boolean {
  const hasControls = head.some((byte) => (byte < 0x20 && !whitespace.includes(byte)) || byte === 0x7f)
  return !hasControls && !markup.test(head.toString('latin1')) && isUtf8(head.subarray(0, endOfLastCharacter(head)))
}

/** The end of the last complete character. */
function endOfLastCharacter(head: Buffer): number {
  for (let at = head.length - 1; at >= Math.max(0, head.length - 4); at--) {
    if ((head[at]! & 0xc0) === 0xc0) return at
    if ((head[at]! & 0x80) === 0) break
  }
  return head.length
}

const document = (fileExtension: string, type: string, matches: MediaType['matches']): MediaType => ({
  type,
  extension: fileExtension,
  isDownload: true,
  fileExtensions: [fileExtension],
  matches,
})

export const mediaTypes: readonly MediaType[] = [
  { type: 'image/jpeg', extension: 'jpg', matches: startsWith([0xff, 0xd8, 0xff]) },
  { type: 'image/png', extension: 'png', matches: startsWith([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
  { type: 'image/gif', extension: 'gif', matches: startsWith('GIF87a', 'GIF89a') },
  { type: 'image/webp', extension: 'webp', matches: riff('WEBP') },
  { type: 'video/mp4', extension: 'mp4', matches: hasBrand(...movieBrands) },
  { type: 'video/quicktime', extension: 'mov', matches: hasBrand('qt  ') },
  { type: 'video/3gpp', extension: '3gp', matches: hasBrand(...phoneBrands) },
  {
    type: 'video/webm',
    extension: 'webm',
    matches: (head) =>
      startsWith([0x1a, 0x45, 0xdf, 0xa3])(head) && head.subarray(0, 64).includes('\x42\x82\x84webm', 'latin1'),
  },
  { type: 'video/mpeg', extension: 'mpg', matches: startsWith([0, 0, 1, 0xba], [0, 0, 1, 0xb3]) },
  { type: 'audio/mpeg', extension: 'mp3', matches: (head) => startsWith('ID3')(head) || frame(layer3)(head) },
  { type: 'audio/aac', extension: 'aac', matches: frame(noLayer) },
  { type: 'audio/mp4', extension: 'm4a', matches: hasBrand(...soundBrands) },
  {
    type: 'audio/ogg',
    extension: 'ogg',
    matches: (head) =>
      startsWith('OggS')(head) &&
      ['OpusHead', '\x01vorbis', 'Speex   '].some((codec) => head.toString('latin1', 28).startsWith(codec)),
  },
  { type: 'audio/amr', extension: 'amr', matches: startsWith('#!AMR\n', '#!AMR-WB\n') },
  { type: 'audio/wav', extension: 'wav', matches: riff('WAVE') },
  { type: 'application/pdf', extension: 'pdf', isDownload: true, matches: startsWith('%PDF-') },
  ...[
    ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    ['odt', 'application/vnd.oasis.opendocument.text'],
    ['ods', 'application/vnd.oasis.opendocument.spreadsheet'],
  ].map(([fileExtension = '', type = '']) => document(fileExtension, type, isZip)),
  ...[
    ['doc', 'application/msword'],
    ['xls', 'application/vnd.ms-excel'],
    ['ppt', 'application/vnd.ms-powerpoint'],
  ].map(([fileExtension = '', type = '']) => document(fileExtension, type, isCompoundFile)),
  { type: 'application/zip', extension: 'zip', isDownload: true, matches: isZip },
  { type: 'text/vcard', extension: 'vcf', isDownload: true, matches: text('BEGIN:VCARD') },
  { type: 'text/calendar', extension: 'ics', isDownload: true, matches: text('BEGIN:VCALENDAR') },
  document('csv', 'text/csv', isPlainText),
  document('txt', 'text/plain', isPlainText),
]

/**
 * Any other content, as bytes that browsers do not open. HTML is excluded: some providers answer with a page instead of
 * a file.
 */
const unknownType: MediaType = {
  type: 'application/octet-stream',
  extension: 'bin',
  isDownload: true,
  matches: (head) => !page.test(head.toString('latin1')),
}

/** All families of types that may be stored. */
export const everyType = ['image/*', 'video/*', 'audio/*', 'application/*', 'text/*'] as const

/** Undefined for content that is not stored. */
export function typeOf(
  head: Buffer,
  { allowsUnknown }: Pick<MediaRequirements, 'allowsUnknown'> = {},
  url = '',
): MediaType | undefined {
  const fileExtension = /\.([a-z0-9]+)$/i.exec(url.replace(/[?#].*$/s, ''))?.[1]?.toLowerCase() ?? ''
  const match = mediaTypes.find(
    ({ fileExtensions, matches }) => (!fileExtensions || fileExtensions.includes(fileExtension)) && matches(head),
  )
  return match ?? (allowsUnknown && unknownType.matches(head) ? unknownType : undefined)
}

export function isAllowed(type: string, { types }: Pick<MediaRequirements, 'types'>): boolean {
  return types.some((each) => each === type || (each.endsWith('/*') && type.startsWith(each.slice(0, -1))))
}

/** The name of an object: random letters and digits, and the extension of its type. */
const objectName = /^[0-9a-z]{26}\.([0-9a-z]{2,4})$/

const byExtension = new Map([...mediaTypes, unknownType].map((each) => [each.extension, each]))

/** The type of an object by its name; undefined for an invalid name. */
export function typeOfName(name: string): MediaType | undefined {
  const extension = objectName.exec(name)?.[1]
  return extension === undefined ? undefined : byExtension.get(extension)
}
