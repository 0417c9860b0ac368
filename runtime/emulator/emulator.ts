/**
 * The built-in emulator for operators and tests: a provider for every channel but web chat, with phones of its own, and
 * servers that stand in for real providers.
 */
import Type, { type Static } from 'typebox'
import { request } from 'undici'
import { emulatorAdapter, signatureHeader, signatureOf } from '../../adapters/emulator/adapter.js'
import type { CallWebhook } from '../../adapters/emulator/callbacks.js'
import type { AcceptedMessage, Act } from '../../adapters/emulator/contract.js'
import { createPhones } from '../../adapters/emulator/phones.js'
import { openProviderEmulator, type ProviderEmulator, type Started } from '../../adapters/emulator/provideremulator.js'
import {
  AccountChange,
  AccountView,
  ActBody,
  ActResultView,
  FaultView,
  GreetingView,
  NewAccount,
  NewFault,
  SentView,
  ServersView,
} from '../../adapters/emulator/schema.js'
import type { Adapter } from '../../core/channel/adapter.js'
import { channelNames } from '../../core/channelnames.js'
import { invalid, refuse } from '../../core/errors.js'
import { pathIdPattern } from '../../core/ids.js'
import { emulator as limits, providerEmulator } from '../../core/limits/index.js'
import { json, noContent, type Route, route } from '../http/route.js'

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
  /** `gatewayUrl`: base URL of this installation's gateway for the emulated providers. */
  routes(gatewayUrl: () => string): Route[]
  /** Routes of the servers that stand in for real providers. */
  providerRoutes(gatewayUrl: () => string): Route[]
  /** Opens those servers on loopback. They exist only after this call. */
  start(ports?: { readonly httpPort?: number; readonly smppPort?: number }): Promise<Started>
  stop(): Promise<void>
  /** Origins on loopback that the node may call. */
  origins(): ReadonlySet<string>
  /** Where an emulated mail provider is for the holder of this key; undefined for a key that it did not give. */
  mailApiUrl(provider: 'sendgrid' | 'mailgun', apiKey: string): string | undefined
  /** Is this the address of the emulated SMPP message center? */
  isMessageCenter(host: string, port: number): boolean
  readonly providers: ProviderEmulator
}

export interface EmulatorOptions {
  readonly now?: () => number
  readonly timeScale?: number
}

/** `key` signs the callbacks of phones; it is the same in every process of an installation. */
export function createEmulator(key: Uint8Array, { now = Date.now, timeScale = 1 }: EmulatorOptions = {}): Emulator {
  const phones = createPhones(limits.retainedMessages)
  const channels = channelNames.filter((channel) => channel !== 'webchat')
  const providers = openProviderEmulator({ key, now, timeScale, webhook: callWebhook })
  return {
    adapters: channels.map((channel) => emulatorAdapter(channel, phones, key) as Adapter),
    routes: (gatewayUrl) => phoneRoutes(phones, key, gatewayUrl),
    providerRoutes: (gatewayUrl) => providerRoutes(providers, gatewayUrl),
    start: (ports) => providers.start({ ...ports, host: loopback }),
    stop: () => providers.stop(),
    origins() {
      const servers = providers.started()
      return new Set(servers ? [servers.httpUrl] : [])
    },
    mailApiUrl(provider, apiKey) {
      const account = providers.accounts.all().find(({ wire, auth }) => wire === provider && auth.apiKey === apiKey)
      return account && String(account.auth.apiUrl)
    },
    isMessageCenter: (host, port) => host === loopback && port === providers.started()?.smppPort,
    providers,
  }
}

const loopback = '127.0.0.1'

/** Calls this installation's gateway for a provider; accounts allow no other address. */
const callWebhook: CallWebhook = async ({ method, url, headers, body, timeoutMs }) => {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const sent = method === 'POST' ? { body } : {}
    const answer = await request(url, { method, headers, signal, ...sent })
    const text = (await answer.body.text()).slice(0, providerEmulator.bodyBytes)
    return { status: answer.statusCode, header: (name) => String(answer.headers[name.toLowerCase()] ?? ''), body: text }
  } catch {
    return undefined
  }
}

function phoneRoutes(phones: ReturnType<typeof createPhones>, key: Uint8Array, gatewayUrl: () => string): Route[] {
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
      errors: ['resource.not_found', 'request.invalid', 'service.unavailable'],
      async handler({ params: { bindingId }, body }) {
        const bytes = Buffer.from(JSON.stringify(body))
        const headers = { 'content-type': 'application/json', [signatureHeader]: signatureOf(key, bindingId, bytes) }
        const url = `${gatewayUrl()}/v4/ingress/${bindingId}`
        const answer = await fetch(url, { method: 'POST', headers, body: bytes })
        const { detail } = (await answer.json().catch(() => ({}))) as { readonly detail?: string }
        if (answer.status === 404)
          return refuse('resource.not_found', { detail: 'There is no such binding in service.' })
        // The gateway still accepts the readable items.
        if (answer.status === 422) return refuse('request.invalid', { detail })
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

const listOf = <S extends Parameters<typeof Type.Array>[0]>(view: S) => Type.Object({ data: Type.Array(view) }, closed)
const accountParams = Type.Object({ accountId: Type.String({ pattern: pathIdPattern }) })
const notFound = refuse('resource.not_found')
const notRunning = refuse('service.unavailable', { detail: 'The provider emulator does not run in this process.' })

function providerRoutes(providers: ProviderEmulator, gatewayUrl: () => string): Route[] {
  const common = { plane: 'mgmt', tag: 'Emulator', access: { who: 'sysop' } } as const

  /** Providers call this installation's ingress only, so the emulator cannot be used to call arbitrary URLs. */
  function urlError(url: string | undefined) {
    const prefix = `${gatewayUrl()}/v4/ingress/`
    const isOurs = url === undefined || (url.startsWith(prefix) && /^\w[\w:-]*$/.test(url.slice(prefix.length)))
    return isOurs ? undefined : invalid('ingressUrl', 'must be the ingress address of a binding')
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: '/system/emulator/providers',
      summary: 'Where the servers that stand in for providers are',
      reply: { 200: ServersView },
      handler: () => json(200, { running: providers.started() !== undefined, ...addressesOf(providers) }),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/system/emulator/accounts',
      summary: 'Accounts at emulated providers',
      reply: { 200: listOf(AccountView) },
      handler: () => json(200, { data: [...providers.accounts.all()] }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/system/emulator/accounts',
      summary: 'Open an account at an emulated provider; one of the same name has the same credentials again',
      body: NewAccount,
      reply: { 201: AccountView },
      errors: ['request.invalid', 'service.unavailable'],
      handler({ body }) {
        if (!providers.started()) return notRunning
        const error = urlError(body.ingressUrl)
        if (error) return error
        const account = providers.accounts.register(body)
        const taken = 'is the name of an account of another wire, or there are too many accounts'
        return account ? json(201, account) : invalid('id', taken)
      },
    }),
    route({
      ...common,
      method: 'PATCH',
      path: '/system/emulator/accounts/{accountId}',
      summary: 'Tell an emulated provider where to call, as one does in its console',
      params: accountParams,
      body: AccountChange,
      reply: { 200: AccountView },
      errors: ['resource.not_found', 'request.invalid'],
      handler({ params: { accountId }, body }) {
        const error = urlError(body.ingressUrl)
        if (error) return error
        const account = providers.accounts.change(accountId, body)
        return account ? json(200, account) : notFound
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/system/emulator/accounts/{accountId}',
      summary: 'Close an account at an emulated provider',
      params: accountParams,
      reply: { 204: null },
      errors: ['resource.not_found'],
      handler: ({ params: { accountId } }) => (providers.accounts.remove(accountId) ? noContent : notFound),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/system/emulator/accounts/{accountId}/_greet',
      summary: 'Have an emulated provider make itself known at the ingress, where it does so',
      params: accountParams,
      reply: { 200: GreetingView },
      errors: ['resource.not_found'],
      async handler({ params: { accountId } }) {
        if (!providers.accounts.get(accountId)) return notFound
        return json(200, { outcome: await providers.accounts.greet(accountId) })
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/system/emulator/accounts/{accountId}/_act',
      summary: 'Have a person do something; the provider reports it with its signature',
      params: accountParams,
      body: ActBody,
      reply: { 202: ActResultView },
      errors: ['resource.not_found', 'request.invalid'],
      async handler({ params: { accountId }, body }) {
        if (!providers.accounts.get(accountId)) return notFound
        const outcome = await providers.act(accountId, body.address, body.act as Act)
        if (outcome.kind === 'impossible') return invalid('act', outcome.why)
        return json(202, { calls: outcome.calls, taken: outcome.taken })
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/system/emulator/sent',
      summary: 'What emulated providers accepted in this process, oldest first',
      query: Type.Object(
        {
          after: Type.Optional(Type.Integer({ minimum: 0 })),
          account: Type.Optional(Type.String()),
          address: Type.Optional(Type.String()),
        },
        closed,
      ),
      reply: { 200: listOf(SentView) },
      handler: ({ query: { after = 0, ...of } }) => json(200, { data: providers.sent(after, of).map(sentView) }),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/system/emulator/faults',
      summary: 'Faults that emulated providers have',
      reply: { 200: listOf(FaultView) },
      handler: () => json(200, { data: [...providers.faults.all()] }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/system/emulator/faults',
      summary: 'Give an emulated provider a fault',
      body: NewFault,
      reply: { 201: FaultView },
      errors: ['request.invalid'],
      handler({ body }) {
        const isFull = providers.faults.all().length >= providerEmulator.faults
        const added = isFull ? undefined : providers.faults.add(body)
        return added ? json(201, added) : invalid('account', isFull ? 'there are too many faults' : 'is not known')
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/system/emulator/faults/{faultId}',
      summary: 'Take a fault away',
      params: Type.Object({ faultId: Type.String({ pattern: pathIdPattern }) }),
      reply: { 204: null },
      errors: ['resource.not_found'],
      handler: ({ params: { faultId } }) => (providers.faults.remove(faultId) ? noContent : notFound),
    }),
  ]
}

function addressesOf(providers: ProviderEmulator) {
  const { httpUrl, smppPort } = providers.started() ?? {}
  return { ...(httpUrl !== undefined && { httpUrl }), ...(smppPort !== undefined && { smppPort }) }
}

/** The API calls the emulated provider `wire`. */
function sentView({
  number,
  account,
  provider,
  address,
  providerId,
  body,
  at,
}: AcceptedMessage): Static<typeof SentView> {
  return { number, account, wire: provider, address, providerId, body, at }
}
