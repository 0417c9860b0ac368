/** The request of every candidate of the http scenario, and the schema that it satisfies. */
import Type, { type Static } from 'typebox'
import type { HttpRequest } from '../../harness/rpc.js'

const closed = { additionalProperties: false } as const

export const Order = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 80 }),
    email: Type.String(),
    amount: Type.Integer({ minimum: 0 }),
    tags: Type.Array(Type.String(), { maxItems: 8 }),
    nested: Type.Object({ a: Type.Boolean(), b: Type.String() }, closed),
  },
  closed,
)
export type Order = Static<typeof Order>

const order: Order = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  amount: 12_500,
  tags: ['spring', 'returning', 'newsletter'],
  nested: { a: true, b: 'Asked for a call back about the delivery on Thursday, after five.' },
}

export function orderRequest(path: string, token: string): HttpRequest {
  return {
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(order),
  }
}
