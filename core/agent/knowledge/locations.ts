/** Locations of things: coordinates written as a pair, or contained in a map link. */

export interface Coordinates {
  readonly latitude: number
  readonly longitude: number
}

export type ParsedAddress =
  | { readonly kind: 'place'; readonly coordinates: Coordinates; readonly address?: string }
  /** An address that needs geocoding. */
  | { readonly kind: 'text'; readonly address: string }
  | { readonly kind: 'invalid'; readonly message: string }

const coordinatePair = /^\s*([+-]?\d{1,3}(?:\.\d{1,15})?)\s*[,;]\s*([+-]?\d{1,3}(?:\.\d{1,15})?)\s*$/
const linkPattern = /^(?:https?:\/\/|geo:)\S+$/i

/** Where map links hold coordinates, the most exact position first. */
const coordinatePatterns: readonly RegExp[] = [
  /!3d([+-]?\d{1,3}(?:\.\d{1,15})?)!4d([+-]?\d{1,3}(?:\.\d{1,15})?)/,
  /[?&](?:q|query|ll|sll|center|destination|daddr|coordinate)=(?:loc:)?([+-]?\d{1,3}(?:\.\d{1,15})?)(?:,|%2C)\+?([+-]?\d{1,3}(?:\.\d{1,15})?)/i,
  /[?&]mlat=([+-]?\d{1,3}(?:\.\d{1,15})?)&mlon=([+-]?\d{1,3}(?:\.\d{1,15})?)/,
  /\/@([+-]?\d{1,3}(?:\.\d{1,15})?),([+-]?\d{1,3}(?:\.\d{1,15})?)/,
  /#map=\d{1,2}(?:\.\d{1,4})?\/([+-]?\d{1,3}(?:\.\d{1,15})?)\/([+-]?\d{1,3}(?:\.\d{1,15})?)/,
  /^geo:([+-]?\d{1,3}(?:\.\d{1,15})?),([+-]?\d{1,3}(?:\.\d{1,15})?)/i,
]
const namePatterns: readonly RegExp[] = [/\/place\/([^/?#@]+)/, /[?&](?:q|query|address|name)=([^&#]+)/]

export function parseAddress(input: string): ParsedAddress {
  const numbers = coordinatePair.exec(input)
  if (numbers) return toLocation(numbers)
  const text = input.trim()
  if (!linkPattern.test(text)) return { kind: 'text', address: text }
  const match = coordinatePatterns.map((pattern) => pattern.exec(text)).find((each) => each !== null)
  const name = nameIn(text)
  if (match) return toLocation(match, name)
  return name
    ? { kind: 'text', address: name }
    : { kind: 'invalid', message: 'is a link that holds no coordinates and no place' }
}

function toLocation([, latitude, longitude]: RegExpExecArray, address?: string): ParsedAddress {
  const coordinates = { latitude: Number(latitude), longitude: Number(longitude) }
  if (!isOnEarth(coordinates)) return { kind: 'invalid', message: 'holds coordinates that are out of range' }
  return { kind: 'place', coordinates, ...(address && { address }) }
}

export function isOnEarth({ latitude, longitude }: Coordinates): boolean {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
}

function nameIn(text: string): string | undefined {
  for (const pattern of namePatterns) {
    const name = decodeName(pattern.exec(text)?.[1] ?? '')
    if (name !== '' && !coordinatePair.test(name.replace(/^loc:/, ''))) return name
  }
  return undefined
}

/** A link may be cut inside an escape: then the text stays as written. */
function decodeName(part: string): string {
  const withSpaces = part.replaceAll('+', ' ')
  try {
    return decodeURIComponent(withSpaces).trim()
  } catch {
    return withSpaces.trim()
  }
}
