/**
 * Parses provider forms (`application/x-www-form-urlencoded`) with the platform's parser, within bounds checked before.
 */
import { Buffer } from 'node:buffer'

export interface FormBounds {
  readonly bytes: number
  readonly parameters: number
}

/** Undefined for a body over a bound: parameters are counted before the first one is parsed. */
export function readForm(
  body: Uint8Array,
  { bytes: maxBytes, parameters: maxParameters }: FormBounds,
): URLSearchParams | undefined {
  if (body.length > maxBytes) return undefined
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString()
  let parameters = 1
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    if (++parameters > maxParameters) return undefined
  }
  // URLSearchParams drops one leading question mark; here it belongs to the form.
  return new URLSearchParams(text.startsWith('?') ? `?${text}` : text)
}
