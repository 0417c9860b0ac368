/** The built-in emulator: a provider for every channel but web chat, and its phones as operators and tests reach them. */
import Type from 'typebox'
import { emulatorAdapter, signatureHeader, signatureOf } from '../adapters/emulator/adapter.js'
import { openPhones } from '../adapters/emulator/phones.js'
import type { Adapter } from '../core/channel/adapter.js'
import { channelNames } from '../core/channel/names.js'
import { refuse } from '../core/errors.js'
import { pathIdPattern } from '../core/ids.js'
import { emulator as limits } from '../core/limits.js'
import { json, type Route, route } from './http/route.js'

const closed = { additionalProperties: false } as const

const ShownView = Type.Object(
  {
    number: Type.Integer({ description: 'Go on after it.' }),
    bindingId: Type.String(),
    address: Type.String(),
    providerId: Type.String({ description: 'What receipts call it.' }),
    wire: Type.Unknown({ description: 'As the provider would have got it.' }),
  },
  { ...closed, title: 'Shown' },
)

const PhoneRefusal = Type.Object(
  {
    address: Type.String({ minLength: 1, maxLength: 200 }),
    refusal: Type.Union([
      Type.Object(
        { reason: Type.String({ minLength: 1, maxLength: 64 }), again: Type.Enum(['later', 'elsewhere', 'never']) },
        closed,
      ),
      Type.Null(),
    ]),
  },
  { ...closed, title: 'PhoneRefusal' },
)

export interface Emulator {
  readonly adapters: readonly Adapter[]
  /** `gatewayUrl`: where this installation's gateway is, as providers call it. */
  routes(gatewayUrl: () => string): Route[]
}

/** `key` signs what phones do: the same on every process of an installation. */
export function openEmulator(key: Uint8Array): Emulator {
  const phones = openPhones(limits.shownKept)
  const channels = channelNames.filter((channel) => channel !== 'webchat')
  return {
    adapters: channels.map((channel) => emulatorAdapter(channel, phones, key) as Adapter),
    routes: (gatewayUrl) => emulatorRoutes(phones, key, gatewayUrl),
  }
}

function emulatorRoutes(phones: ReturnType<typeof openPhones>, key: Uint8Array, gatewayUrl: () => string): Route[] {
  const common = { plane: 'mgmt', tag: 'Emulator', access: { who: 'sysop' } } as const
  return [
    route({
      ...common,
      method: 'GET',
      path: '/system/emulator/shown',
      summary: 'What emulated phones were sent through this process, oldest first',
      query: Type.Object(
        {
          after: Type.Optional(Type.Integer({ minimum: 0 })),
          bindingId: Type.Optional(Type.String()),
          address: Type.Optional(Type.String()),
        },
        closed,
      ),
      reply: { 200: Type.Object({ data: Type.Array(ShownView) }, closed) },
      handler({ query: { after = 0, ...of } }) {
        return json(200, { data: phones.after(after, of).map(({ id: _ours, ...shown }) => shown) })
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/system/emulator/bindings/{bindingId}/_act',
      summary: 'Have emulated phones do something: each item is one thing that one of them does',
      params: Type.Object({ bindingId: Type.String({ pattern: pathIdPattern }) }),
      body: Type.Object({ items: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1_000 }) }, closed),
      reply: { 202: Type.Object({ accepted: Type.Boolean() }, closed) },
      errors: ['resource.not_found', 'service.unavailable'],
      async handler({ params: { bindingId }, body }) {
        const bytes = Buffer.from(JSON.stringify(body))
        const headers = { 'content-type': 'application/json', [signatureHeader]: signatureOf(key, bindingId, bytes) }
        const url = `${gatewayUrl()}/v4/ingress/${bindingId}`
        const answer = await fetch(url, { method: 'POST', headers, body: bytes })
        await answer.arrayBuffer()
        if (answer.status === 404)
          return refuse('resource.not_found', { detail: 'There is no such binding in service.' })
        return answer.ok ? json(202, { accepted: true }) : refuse('service.unavailable')
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/system/emulator/bindings/{bindingId}/refusal',
      summary: 'Have an emulated phone take nothing from now on, or everything again',
      params: Type.Object({ bindingId: Type.String({ pattern: pathIdPattern }) }),
      body: PhoneRefusal,
      reply: { 200: PhoneRefusal },
      handler({ params: { bindingId }, body }) {
        phones.refuse(bindingId, body.address, body.refusal ?? undefined)
        return json(200, body)
      },
    }),
  ]
}
