/** Forms of providers (`application/x-www-form-urlencoded`), read by the platform within bounds that are checked before. */
import { Buffer } from 'node:buffer'

export interface FormBounds {
  readonly bytes: number
  readonly parameters: number
}

/** Undefined for a body that passes a bound: its parameters are counted before any of them is read. */
export function readForm(
  body: Uint8Array,
  { bytes: mostBytes, parameters: mostParameters }: FormBounds,
): URLSearchParams | undefined {
  if (body.length > mostBytes) return undefined
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString()
  let parameters = 1
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    if (++parameters > mostParameters) return undefined
  }
  // The platform drops one question mark at the beginning, and the next one is part of the form.
  return new URLSearchParams(text.startsWith('?') ? `?${text}` : text)
}
