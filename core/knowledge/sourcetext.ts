/** The content types of sources, and how each becomes text. */
import { hasBadCharacters } from '../amf/characters.js'
import { textOfHtml } from './html.js'

const identity = (text: string) => text

export const textReaders: Readonly<Record<string, (text: string) => string>> = {
  'text/plain': identity,
  'text/markdown': identity,
  'text/csv': identity,
  'text/html': textOfHtml,
  'application/xhtml+xml': textOfHtml,
}

export type TextResult = { readonly text: string } | { readonly problem: string }

/** The problem is the end of a sentence about the content. */
export function decodeText(bytes: Uint8Array, contentType: string): TextResult {
  const [media = '', ...parameters] = contentType.split(';').map((part) => part.trim())
  const read = Object.hasOwn(textReaders, media.toLowerCase()) ? textReaders[media.toLowerCase()] : undefined
  if (!read) return { problem: `is of a type that is not read; those that are: ${Object.keys(textReaders).join(', ')}` }
  const charset = parameters.map((each) => /^charset="?([\w.:-]{1,40})"?$/i.exec(each)?.[1]).find(Boolean) ?? 'utf-8'
  const decoder = decoderOf(charset)
  if (!decoder) return { problem: 'is written in a character set that is not known' }
  try {
    return checkText(read(decoder.decode(bytes)))
  } catch {
    return { problem: `is not text in ${charset}` }
  }
}

/** Checks text that was sent as text. */
export function checkText(text: string): TextResult {
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
