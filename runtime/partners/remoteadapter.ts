/**
 * An adapter that runs in a thread, as a node calls it. The guard of the adapter is in the thread. While the thread
 * does not run, messages are refused with a later retry, calls of providers fail so that they are repeated, and all
 * other answers are unknown.
 */
import { LRUCache } from 'lru-cache'
import type { Adapter, ProviderConnection, SendOutcome } from '../../core/channel/adapter.js'
import type { HostedAdapter } from '../../core/channel/hostedadapter.js'
import type { Traits } from '../../core/channel/traits.js'
import type { CallContext } from './callbacks.js'
import type { LoadedAdapter, Member, OptionalMember } from './contract.js'
import { type Host, ThreadEnded } from './host.js'
import { adapterThread as limits } from './limits.js'

/** The result of `render` while the thread does not run; `send` recognises it. */
const unavailable = Object.freeze({ adapterUnavailable: true })

const detail = 'The adapter of the channel is being started again.'
const retryLater: SendOutcome = { kind: 'refused', reason: 'sendFailed', detail, retry: 'later' }
const failed: SendOutcome = {
  kind: 'refused',
  reason: 'sendFailed',
  detail: 'The adapter of the channel failed.',
  retry: 'otherChannel',
}

export function remoteAdapter(host: Host, adapterIndex: number, { descriptor, members }: LoadedAdapter): HostedAdapter {
  const connections = new WeakMap<ProviderConnection, number>()
  const traits = new LRUCache<string, Traits>({ max: limits.traitsCached })

  function call<T>(member: Member, args: readonly unknown[], callContext?: CallContext): Promise<T> {
    return host.call(adapterIndex, member, args, callContext) as Promise<T>
  }

  /** The connection is replaced by its number. */
  function contextOf(context: { readonly connection?: ProviderConnection } & object): CallContext {
    const { connection, ...rest } = context
    const number = connection && connections.get(connection)
    return { ...rest, ...(number !== undefined && { connectionId: number }) } as CallContext
  }

  function cacheTraits(deviceCapabilities: readonly string[], cached: Traits): void {
    traits.set(JSON.stringify(deviceCapabilities), cached)
  }

  async function prepareTraits(deviceCapabilities: readonly string[]): Promise<void> {
    if (traits.has(JSON.stringify(deviceCapabilities))) return
    const cached = await call<Traits>('traitsForDevice', [deviceCapabilities]).catch(() => undefined)
    if (cached) cacheTraits(deviceCapabilities, cached)
  }

  host.onTraits((knownTraits, from) => {
    if (from === adapterIndex)
      for (const [deviceCapabilities, cached] of knownTraits) cacheTraits(deviceCapabilities, cached)
  })

  const optionalImplementations: Pick<HostedAdapter, OptionalMember> = {
    traitsForDevice(deviceCapabilities) {
      const cached = traits.get(JSON.stringify(deviceCapabilities))
      if (!cached) void prepareTraits(deviceCapabilities)
      return cached ?? descriptor.traits
    },
    signal: (...args) => call<ReturnType<NonNullable<Adapter['signal']>>>('signal', args).catch(() => undefined),
    validateAuth: (auth) =>
      call<ReturnType<NonNullable<Adapter['validateAuth']>>>('validateAuth', [auth]).catch(() => ({
        field: '',
        message: 'could not be judged by the adapter of the provider',
      })),
    probe: (addresses, reaching) =>
      call<Awaited<ReturnType<NonNullable<Adapter['probe']>>>>('probe', [addresses], reaching).catch(() => ({
        reachable: [],
        unreachable: [],
      })),
    find: (payload, finding) =>
      call<Awaited<ReturnType<NonNullable<Adapter['find']>>>>('find', [payload], contextOf(finding)).catch(() => ({
        kind: 'unknown',
        detail,
      })),
    revoke: (providerId, sending) =>
      call<Awaited<ReturnType<NonNullable<Adapter['revoke']>>>>('revoke', [providerId], contextOf(sending)).catch(
        () => 'unknown',
      ),
    openMedia: (mediaRef, reaching) =>
      call<Awaited<ReturnType<NonNullable<Adapter['openMedia']>>>>('openMedia', [mediaRef], reaching).catch(() => ({
        kind: 'refused',
        detail,
      })),
    follow: (reference, reaching) =>
      call<Awaited<ReturnType<NonNullable<Adapter['follow']>>>>('follow', [reference], reaching).catch(() => ({
        kind: 'refused',
        detail,
      })),
    connect(connecting) {
      const number = host.openConnection(adapterIndex, connecting)
      const connection: ProviderConnection = {
        problem: () => host.failureOf(number),
        close: () => host.closeConnection(number),
      }
      connections.set(connection, number)
      return connection
    },
  }

  return {
    descriptor,
    render: (blocks, context) => call<readonly unknown[]>('render', [blocks, context]).catch(() => [unavailable]),
    async send(payload, sending) {
      if (payload === unavailable) return retryLater
      try {
        return await call<SendOutcome>('send', [payload], contextOf(sending))
      } catch (error) {
        if (!(error instanceof ThreadEnded)) return failed
        return error.mayHaveSent ? { ...retryLater, isUnknown: true } : retryLater
      }
    },
    receive({ header, body, ...request }, auth) {
      const headers = Object.fromEntries(descriptor.headers.map((name) => [name, header(name)]))
      return call('receive', [{ ...request, headers, body: new Uint8Array(body) }, auth])
    },
    ...Object.fromEntries(members.map((member) => [member, optionalImplementations[member]])),
    ...(members.includes('traitsForDevice') && { prepareTraits }),
  }
}
