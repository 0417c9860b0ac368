/** ETags of an agent's parts, so that two operators who edit the same one do not overwrite each other. */
import { type Refusal, refuse } from '../../core/errors.js'

/** The serial of the agent keeps one of the same id before or after it from having the same tag. */
export function etagOf(serial: number, version: number): string {
  return `"${serial}-${version}"`
}

/** What an If-Match header asks for; empty when there is none. A weak tag matches nothing, as the standard has it. */
export function matches(ifMatch: string, etag: string): boolean {
  if (ifMatch.trim() === '') return true
  return ifMatch.split(',').some((each) => each.trim() === '*' || each.trim() === etag)
}

export function changedMeanwhile(etag: string): Refusal {
  return refuse('request.precondition_failed', {
    detail: 'It was changed since you read it. Read it again and repeat your change.',
    headers: { etag },
  })
}
