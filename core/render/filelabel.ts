/** The name and size of a file, as people read them beside a link to it. */

const nameChars = 80

/** The name is the last segment of the URL; the size is left out if it is unknown. */
export function fileLabel(url: string, bytes?: number): string {
  const name = nameIn(url)
  return bytes === undefined ? name : `${name} (${sizeOf(bytes)})`
}

function nameIn(url: string): string {
  const segment =
    url
      .replace(/[?#].*$/s, '')
      .replace(/^[a-z]+:\/\/[^/]*/i, '')
      .split('/')
      .at(-1) ?? ''
  const name = decodeSegment(segment).replace(/\p{C}/gu, '').trim()
  return name === '' ? 'File' : [...name].slice(0, nameChars).join('')
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Decimal units, as phones and operators use. */
function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
