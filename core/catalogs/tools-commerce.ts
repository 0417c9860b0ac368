/** Tools around goods and money: orders, parcels, returns, stock, payment links. */
import { argumentField, countField, fields, form, listField, secretField, textField, urlField } from './forms.js'
import type { Tool } from './shapes.js'

const orderNumber = argumentField('Order number as the buyer gives it, without a leading hash.', { maxLength: 64 })
const proof = argumentField('The email or postal code the order was placed with; checked, never shown.', {
  maxLength: 254,
})
const currency = { type: 'string', pattern: '^[A-Z]{3}$' }

const store = {
  baseUrl: urlField('API address', 'Where the shop system answers.'),
  apiKey: secretField('API key', 'A key limited to what this tool does.'),
}

export const commerceTools: readonly Tool[] = [
  {
    id: '@svc/tool.order-lookup',
    version: '1.0.1',
    name: 'Order lookup',
    description: 'Finds one order by its number and a proof of the buyer, and returns its state and tracking link.',
    category: 'commerce',
    parameters: fields({ orderNumber, proof }, ['orderNumber', 'proof']),
    configSchema: form(
      {
        ...store,
        hiddenFields: listField(
          'Hidden fields',
          'Fields of an order that the agent must not see.',
          textField('Field', 'Key of the field in the shop system.'),
          0,
          50,
        ),
      },
      ['baseUrl', 'apiKey'],
    ),
  },
  {
    id: '@svc/tool.return-request',
    version: '1.0.1',
    name: 'Return request',
    description: 'Checks whether an item may come back and opens a return or an exchange for it.',
    category: 'commerce',
    parameters: fields(
      {
        orderNumber,
        proof,
        itemId: argumentField('The item, as the order lookup names it.', { maxLength: 64 }),
        reason: argumentField('Why it comes back.', { enum: ['size', 'faulty', 'wrong-item', 'changed-mind'] }),
        wish: argumentField('What the buyer would like.', { enum: ['refund', 'exchange'] }),
        exchangeItemId: argumentField('What to send instead, for an exchange.', { maxLength: 64 }),
        checkOnly: {
          type: 'boolean',
          default: false,
          description: 'true checks whether it is possible and opens nothing.',
        },
      },
      ['orderNumber', 'proof', 'itemId', 'reason', 'wish'],
    ),
    configSchema: form(
      {
        ...store,
        returnWindowDays: countField('Return window in days', 'Counted from delivery.', 1, 365, { default: 30 }),
      },
      ['baseUrl', 'apiKey'],
    ),
  },
  {
    id: '@svc/tool.shipment-tracking',
    version: '1.0.1',
    name: 'Shipment tracking',
    description: 'Finds out where a parcel is and when it is expected, by its tracking number.',
    category: 'logistics',
    parameters: fields(
      {
        trackingNumber: argumentField('Tracking number of the parcel.', { maxLength: 64 }),
        carrier: argumentField('Carrier, when the number alone does not identify it.', { maxLength: 64 }),
      },
      ['trackingNumber'],
    ),
    configSchema: form(
      {
        baseUrl: urlField('API address', 'Where the tracking system answers.'),
        apiKey: secretField('API key', 'A key that may read shipments.'),
        trackingPage: urlField('Tracking page', 'Public page that shows a parcel; the number is added at the end.'),
      },
      ['baseUrl', 'apiKey'],
    ),
  },
  {
    id: '@svc/tool.product-search',
    version: '1.0.1',
    name: 'Product search and stock',
    description: 'Searches the shop by words and price, and returns the stock online or in one store.',
    category: 'commerce',
    parameters: fields(
      {
        words: argumentField('What to look for, in a few words.', { maxLength: 200 }),
        productId: argumentField('One known product, instead of words.', { maxLength: 64 }),
        maxPrice: argumentField('Highest price as a decimal number.', { pattern: '^[0-9]+(\\.[0-9]{1,2})?$' }),
        storeId: argumentField('Returns the stock of this store.', { maxLength: 64 }),
        limit: { type: 'integer', minimum: 1, maximum: 10, default: 5, description: 'How many products to return.' },
      },
      [],
    ),
    configSchema: form(
      {
        ...store,
        stores: listField(
          'Stores',
          'Stores whose stock the agent may mention.',
          fields({ id: textField('Id', 'Id in the shop system.'), name: textField('Name', 'As people call it.') }, [
            'id',
            'name',
          ]),
          0,
          500,
        ),
        showExactStock: {
          type: 'boolean',
          default: false,
          title: 'Show exact numbers',
          description: 'Off, the agent only learns whether there is stock.',
        },
      },
      ['baseUrl', 'apiKey'],
    ),
  },
  {
    id: '@svc/tool.payment-link',
    version: '1.0.1',
    name: 'Payment link',
    description:
      'Creates a link to pay one amount on the page of the payment provider, and checks whether it was paid.',
    category: 'payments',
    parameters: fields(
      {
        action: argumentField('create makes a link; state returns whether one was paid.', {
          enum: ['create', 'state'],
        }),
        linkId: argumentField('The link to ask about, for state.', { maxLength: 64 }),
        amount: argumentField('Decimal amount, for create.', { pattern: '^[0-9]+(\\.[0-9]{1,2})?$' }),
        currency: { ...currency, description: 'Currency code of three letters, for create.' },
        purpose: argumentField('What it is for, as the payer will read it.', { maxLength: 140 }),
        reference: argumentField('Booking or invoice number.', { maxLength: 64 }),
        expiresInHours: {
          type: 'integer',
          minimum: 1,
          maximum: 720,
          default: 48,
          description: 'How long the link works.',
        },
      },
      ['action'],
    ),
    configSchema: form(
      {
        baseUrl: urlField('API address', 'Where the payment provider answers.'),
        secretKey: secretField('Secret key', 'A key that may create payment links.'),
        webhookSecret: secretField('Webhook secret', 'Verifies what the provider reports back about payments.'),
        currencies: listField('Currencies', 'Codes in which the agent may ask for money.', currency, 1, 20),
        maxAmount: textField('Highest amount', 'No link is made above this, in any currency.', {
          pattern: '^[0-9]+(\\.[0-9]{1,2})?$',
        }),
        returnUrl: urlField('Return page', 'Where payers land afterward.'),
      },
      ['baseUrl', 'secretKey', 'currencies', 'maxAmount'],
    ),
  },
]
