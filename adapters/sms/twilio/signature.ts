/**
 * Whether a call comes from Twilio: it signs the address it calls and, after it, every parameter by name, known to us or
 * not. A body that is no form is signed by its digest in the address.
 */
import { createHash } from 'node:crypto'
import type { IngressRequest } from '../../../core/channel/adapter.js'
import { hmacText } from '../../kit/hmac.js'
import { sameText } from '../../kit/wire.js'
import { signatureHeader } from './descriptor.js'
import type { Form, Parameter } from './form.js'

const digestName = 'bodySHA256'

/** The digest that the address gives for the body, if it gives one. */
export function digestIn(url: string): string | undefined {
  const query = url.indexOf('?')
  return query < 0 ? undefined : (new URLSearchParams(url.slice(query + 1)).get(digestName) ?? undefined)
}

/** `digest` is the one in the address, if there is one: then the form is not. */
export function isSigned(
  { url, header, body }: IngressRequest,
  form: Form,
  digest: string | undefined,
  authToken: string,
): boolean {
  if (digest !== undefined && !sameText(digest, createHash('sha256').update(body).digest('hex'))) return false
  const given = header(signatureHeader)
  const parameters = digest === undefined ? writtenOut(form) : ''
  const isOver = (each: string) => sameText(given, signatureOf(authToken, each, parameters))
  // Whether the port that goes without saying was signed depends on who asks Twilio to call.
  return isOver(url) || withAndWithoutPort(url).some(isOver)
}

export function signatureOf(authToken: string, url: string, parameters: string): string {
  return hmacText('sha1', authToken, [url, parameters], 'base64')
}

/** Names in order, each with its values in order, nothing between them and none of them twice. */
export function writtenOut(form: Form): string {
  const parameters = [...form].sort(inOrder)
  let text = ''
  let before: Parameter | undefined
  for (const parameter of parameters) {
    if (!before || inOrder(before, parameter) !== 0) text += parameter.name + parameter.value
    before = parameter
  }
  return text
}

function inOrder(a: Parameter, b: Parameter): number {
  return order(a.name, b.name) || order(a.value, b.value)
}

/** By code units, as texts are sorted that nobody reads. */
function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function withAndWithoutPort(url: string): readonly string[] {
  const found = /^(https?:\/\/)([^/?#]*?)(:\d+)?([/?#].*)?$/i.exec(url)
  if (!found) return []
  const [, scheme = '', host = '', , rest = ''] = found
  const port = scheme.toLowerCase() === 'https://' ? ':443' : ':80'
  return [`${scheme}${host}${rest}`, `${scheme}${host}${port}${rest}`]
}
