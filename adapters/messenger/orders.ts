/** Describes a catalog order in words, since the contract has no message for it. */
import type { Inbound } from '../../core/channel/inbound.js'
import { isRecord } from '../../core/json.js'
import { asNumber, asText } from '../kit/http.js'
import { notUnderstood } from '../kit/inbound.js'

export function orderNotice(products: unknown, note: unknown): Inbound {
  const all: readonly unknown[] = Array.isArray(products) ? products : []
  return notUnderstood('an order', [...all.map(productIn), asText(note)].filter(Boolean).join(', '))
}

function productIn(product: unknown): string | undefined {
  if (!isRecord(product)) return undefined
  const { name, product_retailer_id: retailerId, retailer_id: pageRetailerId, id } = product
  const productName = [name, retailerId, pageRetailerId, id].map(asText).find(Boolean)
  const quantity = asNumber(product.quantity)
  return productName && quantity !== undefined ? `${quantity} × ${productName}` : productName
}
