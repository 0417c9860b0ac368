/** The conditions of If-Match and If-None-Match, and whether a write meets them. */
import { type Refusal, refuse } from '../../core/errors.js'

/** Compares If-None-Match with a tag weakly, as RFC 9110 requires. */
export function isKnownTag(ifNoneMatch: string, etag: string): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}

/** The conditions of a write; a header that was not sent is empty or absent. */
export interface Conditions {
  readonly ifMatch?: string
  readonly ifNoneMatch?: string
}

export const conditionHeaders = ['if-match', 'if-none-match'] as const

export function conditionsOf(header: (name: string) => string): Conditions {
  const [ifMatch, ifNoneMatch] = conditionHeaders.map(header)
  return { ...(ifMatch && { ifMatch }), ...(ifNoneMatch && { ifNoneMatch }) }
}

/** The tag of the resource that is written, and that of the list it is in. */
interface Tags {
  readonly own: string
  readonly list?: string
  /** The resource does not exist yet. */
  readonly isNew?: boolean
}

/** The refusal of a write whose conditions do not hold. A weak tag matches no If-Match, as RFC 9110 requires. */
export function checkConditions(
  { ifMatch = '', ifNoneMatch = '' }: Conditions,
  { own, list, isNew }: Tags,
): Refusal | undefined {
  const expected = ifMatch.split(',').map((each) => each.trim())
  const isMatched =
    ifMatch.trim() === '' || ['*', own, list].some((each) => each !== undefined && expected.includes(each))
  if (!isMatched)
    return preconditionFailed(own, 'It was changed since you read it. Read it again and repeat your change.')
  if (isNew || ifNoneMatch.trim() === '' || !isKnownTag(ifNoneMatch, own)) return undefined
  return preconditionFailed(own, 'It is there already, and the call says that it must not be.')
}

function preconditionFailed(etag: string, detail: string): Refusal {
  return refuse('request.precondition_failed', { detail, headers: { etag } })
}
