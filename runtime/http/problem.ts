/** The body of a refusal, in the error style of its route. */
import { errorTable, type Refusal, statusOf } from '../../core/errors.js'
import type { ErrorStyle } from './route.js'

interface ErrorFormat {
  readonly type: string
  readonly body: (refusal: Refusal, status: number, title: string) => object
}

const styles: Readonly<Record<ErrorStyle, ErrorFormat>> = {
  problem: {
    type: 'application/problem+json; charset=utf-8',
    body: ({ refused, detail, errors, extra }, status, title) => ({
      status,
      code: refused,
      title,
      detail,
      errors,
      ...extra,
    }),
  },
  classic: {
    type: 'application/json; charset=utf-8',
    body: ({ detail, extra }, statusCode, title) => ({ statusCode, message: detail ?? title, ...extra }),
  },
  gateway: {
    type: 'application/json; charset=utf-8',
    body: ({ refused, detail, errors, extra }, _status, title) => ({
      message: detail ?? title,
      code: refused,
      errors,
      ...extra,
    }),
  },
}

export interface WrittenRefusal {
  readonly status: number
  readonly type: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

export function writeRefusal(refusal: Refusal, style: ErrorStyle): WrittenRefusal {
  const status = statusOf(refusal)
  const { type, body } = styles[style]
  const text = JSON.stringify(body(refusal, status, errorTable[refusal.refused].title))
  return { status, type, body: text, headers: refusal.headers }
}
