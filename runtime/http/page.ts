/** Page tokens: a cursor that only this installation could have written, and only for the list it was written for. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export type Cursor = readonly (string | number)[]

export interface Pages {
  /** `scope` names the list and its filters: a token of one list opens no other. */
  write(scope: string, cursor: Cursor): string
  read(scope: string, token: string): Cursor | undefined
}

const markBytes = 12

export function openPages(key: Uint8Array): Pages {
  function mark(scope: string, cursor: Uint8Array): Buffer {
    return createHmac('sha256', key).update(scope).update('\0').update(cursor).digest().subarray(0, markBytes)
  }
  return {
    write(scope, cursor) {
      const bytes = Buffer.from(JSON.stringify(cursor))
      return Buffer.concat([mark(scope, bytes), bytes]).toString('base64url')
    },
    read(scope, token) {
      const bytes = Buffer.from(token, 'base64url')
      if (bytes.length <= markBytes || bytes.toString('base64url') !== token) return undefined
      const cursor = bytes.subarray(markBytes)
      if (!timingSafeEqual(bytes.subarray(0, markBytes), mark(scope, cursor))) return undefined
      return JSON.parse(cursor.toString()) as Cursor
    },
  }
}
