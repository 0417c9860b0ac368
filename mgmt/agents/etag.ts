/**
 * ETags of an agent's parts and of single items, so that two operators who edit the same one do not overwrite each
 * other.
 */
import { hash } from 'node:crypto'
import type { SealedSecret } from './secrets.js'

/** The incarnation distinguishes the tags of agents that have the same id one after the other. */
export function etagOf(incarnation: number, version: number): string {
  return `"${incarnation}-${version}"`
}

const hashChars = 22

/** ETag of one item, by its stored value and its secrets: a change of another item of its list does not change it. */
export function itemEtagOf(incarnation: number, item: object, secrets?: ReadonlyMap<string, SealedSecret>): string {
  const sealed = Array.from(secrets ?? [], ([name, secret]) => [name, Buffer.from(secret.sealed).toString('base64url')])
  return `"${incarnation}-${hash('sha256', JSON.stringify([item, sealed]), 'base64url').slice(0, hashChars)}"`
}
