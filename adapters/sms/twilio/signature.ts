/**
 * Whether a call comes from Twilio: it signs the address it calls and, after it, every parameter by name, known to us or
 * not. A body that is no form is signed by its digest in the address.
 */
import { createHmac, hash } from 'node:crypto'
import type { IngressRequest } from '../../../core/channel/adapter.js'
import { sameText } from '../../kit/http.js'
import { signatureHeader } from './descriptor.js'

const digestName = 'bodySHA256'

/** The digest that the address gives for the body, if it gives one. */
export function digestIn(url: string): string | undefined {
  const query = url.indexOf('?')
  return query < 0 ? undefined : (new URLSearchParams(url.slice(query + 1)).get(digestName) ?? undefined)
}

/** Whether there is something in the place of the signature that has the shape of one: nothing else is worth a look. */
export function hasSignature({ header }: IngressRequest): boolean {
  return /^[A-Za-z0-9+/]{27}=$/.test(header(signatureHeader))
}

/** Whether the address and the parameters of a form are signed. */
export function isSigned(request: IngressRequest, form: URLSearchParams, authToken: string): boolean {
  return isSignedOver(request, concatParameters(form), authToken)
}

/** Whether the body has the digest that stands in the address, and the address is signed. */
export function isSignedByDigest(request: IngressRequest, digest: string, authToken: string): boolean {
  return isSignedOver(request, '', authToken) && sameText(digest, hash('sha256', request.body, 'hex'))
}

function isSignedOver({ url, header }: IngressRequest, parameters: string, authToken: string): boolean {
  const signature = header(signatureHeader)
  const isOver = (each: string) => sameText(signature, signatureOf(authToken, each, parameters))
  // Whether the port that goes without saying was signed depends on who asks Twilio to call.
  return isOver(url) || withAndWithoutPort(url).some(isOver)
}

export function signatureOf(authToken: string, url: string, parameters: string): string {
  return createHmac('sha1', authToken).update(url).update(parameters).digest('base64')
}

/** Names in order, each with its values in order, nothing between them and none of them twice. */
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

/** By code units, as texts are sorted that nobody reads. */
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
