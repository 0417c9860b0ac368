/** Page tokens: cursors that are authenticated, and bound to one list. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalid, type Refusal } from '../../core/errors.js'

export type Cursor = readonly (string | number)[]

export interface PageTokens {
  /** `scope` names the list and its filters: a token of one list is not valid for another. */
  write(scope: string, cursor: Cursor): string
  /** Undefined without a token; a refusal of a token that this installation did not write for that list. */
  read(scope: string, token: string | undefined): Cursor | undefined | Refusal
}

const macBytes = 12
const notOfThisList = invalid('pageToken', 'is not a token of this list')

export function createPageTokens(key: Uint8Array): PageTokens {
  function mac(scope: string, cursor: Uint8Array): Buffer {
    return createHmac('sha256', key).update(scope).update('\0').update(cursor).digest().subarray(0, macBytes)
  }
  return {
    write(scope, cursor) {
      const bytes = Buffer.from(JSON.stringify(cursor))
      return Buffer.concat([mac(scope, bytes), bytes]).toString('base64url')
    },
    read(scope, token) {
      if (token === undefined) return undefined
      const bytes = Buffer.from(token, 'base64url')
      if (bytes.length <= macBytes || bytes.toString('base64url') !== token) return notOfThisList
      const cursor = bytes.subarray(macBytes)
      if (!timingSafeEqual(bytes.subarray(0, macBytes), mac(scope, cursor))) return notOfThisList
      return JSON.parse(cursor.toString()) as Cursor
    },
  }
}
