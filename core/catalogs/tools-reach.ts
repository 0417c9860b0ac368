/** Tools that reach places, lists and other systems: listings, maps, sheets, webhooks. */
import {
  argumentField,
  choiceField,
  connectionField,
  fields,
  form,
  listField,
  secretField,
  textField,
  urlField,
} from './forms.js'
import type { Tool } from './shapes.js'

export const reachTools: readonly Tool[] = [
  {
    id: '@svc/tool.listing-search',
    version: '1.0.1',
    name: 'Listing search',
    description: 'Searches homes or vehicles on offer and checks whether one is still available.',
    category: 'listings',
    parameters: fields(
      {
        listingId: argumentField('One known listing, to learn its details and whether it is available.', {
          maxLength: 64,
        }),
        words: argumentField('What to look for, in a few words.', { maxLength: 200 }),
        place: argumentField('Town, district or postal code.', { maxLength: 120 }),
        minPrice: { type: 'integer', minimum: 0, description: 'Lowest price in whole units of the listing currency.' },
        maxPrice: { type: 'integer', minimum: 0, description: 'Highest price in whole units of the listing currency.' },
        filters: {
          type: 'object',
          description: 'Further filters by key, such as bedrooms, year, fuel or mileage.',
          additionalProperties: { type: 'string', maxLength: 100 },
          maxProperties: 20,
        },
        limit: { type: 'integer', minimum: 1, maximum: 10, default: 5, description: 'How many listings to return.' },
      },
      [],
    ),
    configSchema: form(
      {
        feedUrl: urlField('Feed address', 'Where the inventory or listing system answers.'),
        apiKey: secretField('API key', 'A key that may read listings.'),
        kind: choiceField('Kind', 'What is listed.', ['homes', 'vehicles', 'other']),
        publicPage: urlField('Public page', 'Page of a listing; its id is added at the end.'),
      },
      ['feedUrl', 'apiKey', 'kind'],
    ),
  },
  {
    id: '@svc/tool.place-search',
    version: '1.0.0',
    name: 'Places and maps',
    description: 'Turns an address or postal code into a place, and finds the nearest branch.',
    category: 'maps',
    parameters: fields(
      {
        query: argumentField('Address, town or postal code.', { maxLength: 300 }),
        nearestBranch: {
          type: 'boolean',
          default: false,
          description: 'true also returns the branches closest to it.',
        },
      },
      ['query'],
    ),
    configSchema: form(
      {
        searchUrl: urlField('Search address', 'A geocoder that answers as Nominatim does.'),
        apiKey: secretField('API key', 'Only if the geocoder asks for one.'),
        countryCodes: listField(
          'Countries',
          'Two-letter codes to search in.',
          { type: 'string', pattern: '^[a-z]{2}$' },
          0,
          50,
        ),
        branches: listField(
          'Branches',
          'Where the business can be visited.',
          fields(
            {
              name: textField('Name', 'As people call it.'),
              address: textField('Address', 'Street and town.', { maxLength: 500 }),
              latitude: { type: 'number', minimum: -90, maximum: 90, title: 'Latitude', description: 'Degrees north.' },
              longitude: {
                type: 'number',
                minimum: -180,
                maximum: 180,
                title: 'Longitude',
                description: 'Degrees east.',
              },
            },
            ['name', 'address', 'latitude', 'longitude'],
          ),
          0,
          500,
        ),
      },
      ['searchUrl'],
    ),
  },
  {
    id: '@svc/tool.sheet-row',
    version: '1.1.0',
    name: 'Sheet row',
    description: 'Adds one row to a shared spreadsheet, for lists that a team keeps by hand.',
    category: 'data',
    parameters: fields(
      {
        cells: {
          type: 'object',
          description: 'Values by column name. Columns the sheet does not have are refused.',
          additionalProperties: { type: 'string', maxLength: 2000 },
          minProperties: 1,
          maxProperties: 50,
        },
      },
      ['cells'],
    ),
    configSchema: form(
      {
        connectionId: connectionField(),
        endpointUrl: urlField('Sheet address', 'The address that accepts new rows of this sheet.'),
        token: secretField('Access token', 'A token that may append to this one sheet.'),
        worksheet: textField('Worksheet', 'Name of the tab.'),
        columns: listField(
          'Columns',
          'Names of the columns, in order.',
          textField('Column', 'As in the first row.'),
          1,
          50,
        ),
      },
      ['endpointUrl', 'token', 'columns'],
    ),
  },
  {
    id: '@svc/tool.webhook',
    version: '1.0.0',
    name: 'Webhook',
    description: 'Posts an event with data to a system of your own, for anything the other tools do not cover.',
    category: 'automation',
    parameters: fields(
      {
        event: argumentField('Name of what happened.', { pattern: '^[a-z][a-z0-9_.-]{0,63}$' }),
        data: {
          type: 'object',
          description: 'What the receiving system needs to know.',
          additionalProperties: true,
          maxProperties: 50,
        },
      },
      ['event', 'data'],
    ),
    configSchema: form(
      {
        url: urlField('Address', 'Where the event is sent.'),
        method: choiceField('Method', 'How it is sent.', ['POST', 'PUT', 'PATCH'], { default: 'POST' }),
        authHeader: secretField('Authorization header', 'Sent as it stands in the Authorization header.'),
        signingSecret: secretField('Signing secret', 'Signs each call, so that the receiver can tell it is genuine.'),
        events: listField(
          'Events',
          'Names the agent may send.',
          textField('Event', 'For example quote.requested.'),
          0,
          50,
        ),
      },
      ['url'],
    ),
  },
]
