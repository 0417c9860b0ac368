/** Where a thing is: coordinates written as a pair, or held by the link of a map. */

export interface Coordinates {
  readonly latitude: number
  readonly longitude: number
}

export type AddressRead =
  | { readonly kind: 'place'; readonly coordinates: Coordinates; readonly address?: string }
  /** Words that have to be looked up. */
  | { readonly kind: 'words'; readonly address: string }
  | { readonly kind: 'fault'; readonly message: string }

const pair = /^\s*([+-]?\d{1,3}(?:\.\d{1,15})?)\s*[,;]\s*([+-]?\d{1,3}(?:\.\d{1,15})?)\s*$/
const link = /^(?:https?:\/\/|geo:)\S+$/i

/** Where links of maps hold coordinates, the surest place first. */
const inLinks: readonly RegExp[] = [
  /!3d([+-]?\d{1,3}(?:\.\d{1,15})?)!4d([+-]?\d{1,3}(?:\.\d{1,15})?)/,
  /[?&](?:q|query|ll|sll|center|destination|daddr|coordinate)=(?:loc:)?([+-]?\d{1,3}(?:\.\d{1,15})?)(?:,|%2C)\+?([+-]?\d{1,3}(?:\.\d{1,15})?)/i,
  /[?&]mlat=([+-]?\d{1,3}(?:\.\d{1,15})?)&mlon=([+-]?\d{1,3}(?:\.\d{1,15})?)/,
  /\/@([+-]?\d{1,3}(?:\.\d{1,15})?),([+-]?\d{1,3}(?:\.\d{1,15})?)/,
  /#map=\d{1,2}(?:\.\d{1,4})?\/([+-]?\d{1,3}(?:\.\d{1,15})?)\/([+-]?\d{1,3}(?:\.\d{1,15})?)/,
  /^geo:([+-]?\d{1,3}(?:\.\d{1,15})?),([+-]?\d{1,3}(?:\.\d{1,15})?)/i,
]
const namesInLinks: readonly RegExp[] = [/\/place\/([^/?#@]+)/, /[?&](?:q|query|address|name)=([^&#]+)/]

export function readAddress(written: string): AddressRead {
  const numbers = pair.exec(written)
  if (numbers) return placed(numbers)
  const text = written.trim()
  if (!link.test(text)) return { kind: 'words', address: text }
  const found = inLinks.map((form) => form.exec(text)).find((each) => each !== null)
  const name = nameIn(text)
  if (found) return placed(found, name)
  return name
    ? { kind: 'words', address: name }
    : { kind: 'fault', message: 'is a link that holds no coordinates and no place' }
}

function placed([, latitude, longitude]: RegExpExecArray, address?: string): AddressRead {
  const coordinates = { latitude: Number(latitude), longitude: Number(longitude) }
  if (!isOnEarth(coordinates)) return { kind: 'fault', message: 'holds coordinates that are out of range' }
  return { kind: 'place', coordinates, ...(address && { address }) }
}

export function isOnEarth({ latitude, longitude }: Coordinates): boolean {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
}

function nameIn(text: string): string | undefined {
  for (const form of namesInLinks) {
    const name = decoded(form.exec(text)?.[1] ?? '')
    if (name !== '' && !pair.test(name.replace(/^loc:/, ''))) return name
  }
  return undefined
}

/** A link may be cut inside an escape: then it is taken as it is written. */
function decoded(part: string): string {
  const spaced = part.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced).trim()
  } catch {
    return spaced.trim()
  }
}
