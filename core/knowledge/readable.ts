/** What kinds of content a source may be made of, and how each becomes text. */
import { hasBadCharacters } from '../amf/characters.js'
import { textOfHtml } from './html.js'

const asItIs = (text: string) => text

export const sourceTypes: Readonly<Record<string, (text: string) => string>> = {
  'text/plain': asItIs,
  'text/markdown': asItIs,
  'text/csv': asItIs,
  'text/html': textOfHtml,
  'application/xhtml+xml': textOfHtml,
}

export type Readable = { readonly text: string } | { readonly problem: string }

/** The problem is the end of a sentence about the content. */
export function readable(bytes: Uint8Array, contentType: string): Readable {
  const [media = '', ...parameters] = contentType.split(';').map((part) => part.trim())
  const read = Object.hasOwn(sourceTypes, media.toLowerCase()) ? sourceTypes[media.toLowerCase()] : undefined
  if (!read) return { problem: `is of a type that is not read; those that are: ${Object.keys(sourceTypes).join(', ')}` }
  const charset = parameters.map((each) => /^charset="?([\w.:-]{1,40})"?$/i.exec(each)?.[1]).find(Boolean) ?? 'utf-8'
  const decoder = decoderOf(charset)
  if (!decoder) return { problem: 'is written in a character set that is not known' }
  try {
    return judged(read(decoder.decode(bytes)))
  } catch {
    return { problem: `is not text in ${charset}` }
  }
}

/** Of text that came as text. */
export function judged(text: string): Readable {
  if (hasBadCharacters(text)) return { problem: 'holds NUL or half a surrogate pair' }
  return text.trim() === '' ? { problem: 'holds no text' } : { text }
}

function decoderOf(charset: string): { decode(bytes: Uint8Array): string } | undefined {
  try {
    return new TextDecoder(charset, { fatal: true })
  } catch {
    return undefined
  }
}
