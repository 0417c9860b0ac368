/** ETags of an agent's parts and of single items, so that two operators who edit the same one do not overwrite each other. */
import { hash } from 'node:crypto'
import type { SealedSecret } from './secrets.js'

/** The serial of the agent keeps one of the same id before or after it from having the same tag. */
export function etagOf(incarnation: number, version: number): string {
  return `"${incarnation}-${version}"`
}

const hashChars = 22

/** Of one item, by what is kept of it and its secrets: a change of another item of its list leaves it as it is. */
export function itemEtagOf(incarnation: number, item: object, secrets?: ReadonlyMap<string, SealedSecret>): string {
  const sealed = Array.from(secrets ?? [], ([name, secret]) => [name, Buffer.from(secret.sealed).toString('base64url')])
  return `"${incarnation}-${hash('sha256', JSON.stringify([item, sealed]), 'base64url').slice(0, hashChars)}"`
}
