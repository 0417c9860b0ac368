/** Finds the secrets in credentials, and redacts them from texts. */
import { isRecord } from '../json.js'
import { adapter as limits } from '../limits/index.js'

/** The values that a credential form marks as write-only, at any depth of these credentials. */
export function secretsIn(form: unknown, auth: unknown): readonly string[] {
  if (!isRecord(form) || auth === undefined || auth === null) return []
  if (form.writeOnly === true) return textsIn(auth).flatMap(piecesOf)
  if (Array.isArray(auth)) return auth.flatMap((each) => secretsIn(form.items, each))
  const { properties } = form
  if (!isRecord(properties) || !isRecord(auth)) return []
  return Object.entries(auth).flatMap(([name, value]) =>
    Object.hasOwn(properties, name) ? secretsIn(properties[name], value) : [],
  )
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** A single line of a key is as secret as all of it. */
function piecesOf(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/)
  const pieces = lines.length === 1 ? [secret] : [secret, ...lines.filter((line) => !line.startsWith('-----'))]
  return pieces.filter((piece) => piece.length >= limits.secretMinChars)
}

/** Replaces each secret with an ellipsis, and cuts the text to the length of a detail. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length)
  const clean = longestFirst.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
  return clean.length <= limits.detailChars ? clean : `${clean.slice(0, limits.detailChars - 1)}…`
}
