/**
 * Verifies Twilio's signature, which covers the URL and every parameter by name, known or not. A body that is no form
 * is covered by its digest in the URL.
 */
import { createHmac, hash } from 'node:crypto'
import type { IngressRequest } from '../../../core/channel/adapter.js'
import { sameText } from '../../kit/http.js'
import { signatureHeader } from './descriptor.js'

const digestName = 'bodySHA256'

/** The body's digest in the URL, if any. */
export function digestIn(url: string): string | undefined {
  const query = url.indexOf('?')
  return query < 0 ? undefined : (new URLSearchParams(url.slice(query + 1)).get(digestName) ?? undefined)
}

/** True when the header has the form of a signature; all other calls are refused before their body is parsed. */
export function hasSignature({ header }: IngressRequest): boolean {
  return /^[A-Za-z0-9+/]{27}=$/.test(header(signatureHeader))
}

/** Whether the signature covers the URL and these parameters. */
export function isSigned(request: IngressRequest, form: URLSearchParams, authToken: string): boolean {
  return isSignedOver(request, concatParameters(form), authToken)
}

/** Whether the body matches the digest in the URL and the signature covers the URL. */
export function isSignedByDigest(request: IngressRequest, digest: string, authToken: string): boolean {
  return isSignedOver(request, '', authToken) && sameText(digest, hash('sha256', request.body, 'hex'))
}

function isSignedOver({ url, header }: IngressRequest, parameters: string, authToken: string): boolean {
  const signature = header(signatureHeader)
  const isOver = (each: string) => sameText(signature, signatureOf(authToken, each, parameters))
  // Twilio signs the URL with or without the default port, depending on the product that calls.
  return isOver(url) || withAndWithoutPort(url).some(isOver)
}

export function signatureOf(authToken: string, url: string, parameters: string): string {
  return createHmac('sha1', authToken)
    .update(url + parameters)
    .digest('base64')
}

/** Sorted names with their sorted values, concatenated without separators or duplicates. */
export function concatParameters(form: URLSearchParams): string {
  let text = ''
  let before: Parameter | undefined
  for (const parameter of [...form].sort(inOrder)) {
    if (!before || inOrder(before, parameter) !== 0) text += parameter[0] + parameter[1]
    before = parameter
  }
  return text
}

type Parameter = readonly [name: string, value: string]

function inOrder(a: Parameter, b: Parameter): number {
  return order(a[0], b[0]) || order(a[1], b[1])
}

/** Sorts by code units, independent of locale. */
function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function withAndWithoutPort(url: string): readonly string[] {
  const match = /^(https?:\/\/)([^/?#]*?)(:\d+)?([/?#].*)?$/i.exec(url)
  if (!match) return []
  const [, scheme = '', host = '', , rest = ''] = match
  const port = scheme.toLowerCase() === 'https://' ? ':443' : ':80'
  return [`${scheme}${host}${rest}`, `${scheme}${host}${port}${rest}`]
}
