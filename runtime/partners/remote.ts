/**
 * An adapter that runs in a thread, as a node calls it. The guard of the adapter is in the thread; while there is no thread,
 * messages are refused for now, calls of providers fail so that they come again, and everything else is unknown.
 */
import { LRUCache } from 'lru-cache'
import type { Adapter, Line, SendOutcome } from '../../core/channel/adapter.js'
import type { HostedAdapter } from '../../core/channel/hosted.js'
import type { Traits } from '../../core/channel/traits.js'
import type { Around } from './answers.js'
import type { LoadedAdapter, Member, OptionalMember } from './contract.js'
import { type Host, ThreadEnded } from './host.js'
import { adapterThread as limits } from './limits.js'

/** What `render` gives while there is no thread; `send` knows it again. */
const unavailable = Object.freeze({ adapterUnavailable: true })

const detail = 'The adapter of the channel is being started again.'
const refusedForNow: SendOutcome = { kind: 'refused', reason: 'sendFailed', detail, again: 'later' }
const failed: SendOutcome = {
  kind: 'refused',
  reason: 'sendFailed',
  detail: 'The adapter of the channel failed.',
  again: 'elsewhere',
}

export function remoteAdapter(host: Host, at: number, { descriptor, members }: LoadedAdapter): HostedAdapter {
  const lines = new WeakMap<Line, number>()
  const traits = new LRUCache<string, Traits>({ max: limits.traitsKept })

  function call<T>(member: Member, args: readonly unknown[], around?: Around): Promise<T> {
    return host.call(at, member, args, around) as Promise<T>
  }

  /** The line travels as its number. */
  function aroundOf(given: { readonly line?: Line } & object): Around {
    const { line, ...rest } = given
    const number = line && lines.get(line)
    return { ...rest, ...(number !== undefined && { line: number }) } as Around
  }

  function keepTraits(abilities: readonly string[], known: Traits): void {
    traits.set(JSON.stringify(abilities), known)
  }

  async function prepareTraits(abilities: readonly string[]): Promise<void> {
    if (traits.has(JSON.stringify(abilities))) return
    const known = await call<Traits>('traitsWith', [abilities]).catch(() => undefined)
    if (known) keepTraits(abilities, known)
  }

  host.onTraits((given, from) => {
    if (from === at) for (const [abilities, known] of given) keepTraits(abilities, known)
  })

  const powers: Pick<HostedAdapter, OptionalMember> = {
    traitsWith(abilities) {
      const known = traits.get(JSON.stringify(abilities))
      if (!known) void prepareTraits(abilities)
      return known ?? descriptor.traits
    },
    signal: (...args) => call<ReturnType<NonNullable<Adapter['signal']>>>('signal', args).catch(() => undefined),
    wrongAuth: (auth) =>
      call<ReturnType<NonNullable<Adapter['wrongAuth']>>>('wrongAuth', [auth]).catch(() => ({
        field: '',
        message: 'could not be judged by the adapter of the provider',
      })),
    probe: (addresses, reaching) =>
      call<Awaited<ReturnType<NonNullable<Adapter['probe']>>>>('probe', [addresses], reaching).catch(() => ({
        reachable: [],
        unreachable: [],
      })),
    find: (wire, finding) =>
      call<Awaited<ReturnType<NonNullable<Adapter['find']>>>>('find', [wire], aroundOf(finding)).catch(() => ({
        kind: 'unknown',
        detail,
      })),
    revoke: (providerId, sending) =>
      call<Awaited<ReturnType<NonNullable<Adapter['revoke']>>>>('revoke', [providerId], aroundOf(sending)).catch(
        () => 'unknown',
      ),
    openMedia: (held, reaching) =>
      call<Awaited<ReturnType<NonNullable<Adapter['openMedia']>>>>('openMedia', [held], reaching).catch(() => ({
        kind: 'refused',
        detail,
      })),
    follow: (reference, reaching) =>
      call<Awaited<ReturnType<NonNullable<Adapter['follow']>>>>('follow', [reference], reaching).catch(() => ({
        kind: 'refused',
        detail,
      })),
    connect(connecting) {
      const number = host.openLine(at, connecting)
      const line: Line = { trouble: () => host.troubleOf(number), close: () => host.closeLine(number) }
      lines.set(line, number)
      return line
    },
  }

  return {
    descriptor,
    render: (blocks, about) => call<readonly unknown[]>('render', [blocks, about]).catch(() => [unavailable]),
    async send(wire, sending) {
      if (wire === unavailable) return refusedForNow
      try {
        return await call<SendOutcome>('send', [wire], aroundOf(sending))
      } catch (error) {
        if (!(error instanceof ThreadEnded)) return failed
        return error.mayHaveSent ? { ...refusedForNow, isUnknown: true } : refusedForNow
      }
    },
    receive({ header, body, ...request }, auth) {
      const headers = Object.fromEntries(descriptor.headers.map((name) => [name, header(name)]))
      return call('receive', [{ ...request, headers, body: new Uint8Array(body) }, auth])
    },
    ...Object.fromEntries(members.map((member) => [member, powers[member]])),
    ...(members.includes('traitsWith') && { prepareTraits }),
  }
}
