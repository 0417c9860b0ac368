/**
 * A guard around an adapter: an adapter that throws, hangs or returns invalid values affects only its own bindings. The
 * guard bounds waiting in time and checks returned values for shape and size; it logs problems without secrets.
 *
 * Three things are beyond it. It cannot stop a function that never returns, a rejection that the adapter does not await
 * is not part of the adapter's result, and a send that timed out may still have reached the provider: its outcome is
 * unknown. Nodes run the adapters of partners in threads because of the first two.
 */
import { LRUCache } from 'lru-cache'
import type { Adapter, IngressResult, Item, ProviderConnection, SendOutcome } from '../../core/channel/adapter.js'
import {
  findOutcomeError,
  followOutcomeError,
  itemError,
  mediaAccessError,
  outcomeError,
  payloadError,
  payloadsError,
  probeError,
  receivedError,
} from '../../core/channel/adaptervalidation.js'
import { redactSecrets, secretsIn } from '../../core/channel/credentialsecrets.js'
import { findExcessTrait } from '../../core/channel/subset.js'
import { isRecord } from '../../core/json.js'
import { adapter as limits } from '../../core/limits/index.js'
import { systemClock } from '../clock.js'
import { withTimeout } from '../time.js'

/** Where the guard logs problems: the log of a node. */
export interface GuardLog {
  error(event: string, fields: Readonly<Record<string, string>>): void
}

export type AdapterTimeouts = Pick<typeof limits, 'sendMs' | 'probeMs' | 'revokeMs' | 'openMs' | 'closeMs'>

/**
 * The payload that `render` returns for a message that the adapter could not render; `send` recognizes it, also as a
 * copy.
 */
const unrenderable = Object.freeze({ isUnrenderable: true })
const isUnrenderable = (payload: unknown) => isRecord(payload) && payload.isUnrenderable === true

const refusal = (detail: string, retry: 'later' | 'otherChannel'): SendOutcome => ({
  kind: 'refused',
  reason: 'sendFailed',
  detail,
  retry,
})
const sendFailure = refusal('The adapter of the channel failed.', 'otherChannel')
const renderFailure = refusal('The adapter of the channel could not write the message.', 'otherChannel')
/** Outcome unknown: the provider may have the message. */
const sendTimeout: SendOutcome = {
  kind: 'refused',
  reason: 'sendFailed',
  detail: 'The adapter of the channel had no outcome in time.',
  retry: 'later',
  isUnknown: true,
}
const stalledRefusal = refusal('The adapter of the channel does not answer just now.', 'later')

export function guardAdapter(
  adapter: Adapter,
  log: GuardLog,
  timeouts: { [Key in keyof AdapterTimeouts]: number } = limits,
): Adapter {
  const { descriptor } = adapter
  const { channel, provider, form } = descriptor
  const connections = new WeakMap<ProviderConnection, ProviderConnection>()
  const stalled = createStalledBindings()

  /** `context` has the credentials and the binding of the call, as far as the call had any. */
  function logFailure(doing: string, problem: unknown, context: { auth?: unknown; bindingId?: string } = {}): void {
    const { auth, bindingId } = context
    const text = problem instanceof Error ? problem.message : String(problem)
    const redacted = redactSecrets(text, secretsIn(form.credentials, auth))
    log.error('adapter.failed', { channel, provider, ...(bindingId && { bindingId }), doing, problem: redacted })
  }

  function checkItems(items: readonly Item[], context: { auth?: unknown; bindingId?: string }): readonly Item[] {
    return items.map((item) => {
      const problem = itemError(item)
      if (!problem) return 'problem' in item ? { problem: redactSecrets(item.problem, secretsOf(context)) } : item
      logFailure('receive', problem, context)
      return { problem }
    })
  }

  function checkReceived(
    received: Extract<IngressResult, { readonly kind: 'items' }>,
    context: { auth?: unknown },
  ): IngressResult {
    const items = checkItems(received.items, context)
    if (!received.otherAccounts) return { ...received, items }
    const otherAccounts = received.otherAccounts.map((part) =>
      part.items ? { ...part, items: checkItems(part.items, context) } : part,
    )
    return { ...received, items, otherAccounts }
  }

  const secretsOf = ({ auth }: { readonly auth?: unknown }) => secretsIn(form.credentials, auth)

  function redactOutcome(outcome: SendOutcome, context: { readonly auth: unknown }): SendOutcome {
    if (outcome.kind === 'sent' || outcome.detail === undefined) return outcome
    return { ...outcome, detail: redactSecrets(outcome.detail, secretsOf(context)) }
  }

  return {
    descriptor,
    render(blocks, context) {
      try {
        const payloads = adapter.render(blocks, context)
        const problem = payloadsError(payloads)
        if (!problem) return payloads
        logFailure('render', problem)
      } catch (error) {
        logFailure('render', error)
      }
      return [unrenderable]
    },
    async send(payload, context) {
      if (isUnrenderable(payload)) return renderFailure
      const { bindingId, connection } = context
      if (!stalled.maySend(bindingId)) return stalledRefusal
      try {
        const unwrapped = connection ? { ...context, connection: connections.get(connection) ?? connection } : context
        const outcome = await withTimeout(systemClock, timeouts.sendMs, adapter.send(payload, unwrapped), timedOut)
        if (outcome === timedOut) {
          stalled.markStalled(bindingId)
          logFailure('send', 'no outcome in time', context)
          return sendTimeout
        }
        stalled.clear(bindingId)
        const problem = outcomeError(outcome)
        if (!problem) return redactOutcome(outcome, context)
        logFailure('send', problem, context)
      } catch (error) {
        stalled.clear(bindingId)
        logFailure('send', error, context)
      }
      return sendFailure
    },
    receive(request, auth) {
      const context = { auth, bindingId: request.bindingId }
      let problem: unknown
      try {
        const received: IngressResult = adapter.receive(request, auth)
        problem = receivedError(received)
        if (!problem) return received.kind === 'items' ? checkReceived(received, context) : received
      } catch (error) {
        problem = error
      }
      logFailure('receive', problem, context)
      // Nothing was read; the error makes the provider call again, so nothing is lost once the adapter is fixed.
      throw new Error('the adapter of the channel could not read a call')
    },
    ...(adapter.signal && {
      signal(...[signal, context]: Parameters<NonNullable<Adapter['signal']>>) {
        try {
          const payload = adapter.signal!(signal, context)
          const problem = payload === undefined ? undefined : payloadError(payload)
          if (!problem) return payload
          logFailure('signal', problem)
        } catch (error) {
          logFailure('signal', error)
        }
        return undefined
      },
    }),
    ...(adapter.traitsForDevice && {
      traitsForDevice(deviceCapabilities: readonly string[]) {
        try {
          const traits = adapter.traitsForDevice!(deviceCapabilities)
          const wider = findExcessTrait(traits, descriptor.traits)
          if (wider === undefined) return traits
          logFailure('traitsForDevice', `${wider} is more than the channel has`)
        } catch (error) {
          logFailure('traitsForDevice', error)
        }
        return descriptor.traits
      },
    }),
    ...(adapter.validateAuth && {
      validateAuth(auth: unknown) {
        try {
          const problem = adapter.validateAuth!(auth)
          if (problem === undefined) return undefined
          if (typeof problem.field === 'string' && typeof problem.message === 'string')
            return { field: problem.field, message: redactSecrets(problem.message, secretsOf({ auth })) }
          logFailure('validateAuth', 'neither a field nor a message', { auth })
        } catch (error) {
          logFailure('validateAuth', error, { auth })
        }
        return { field: '', message: 'could not be judged by the adapter of the provider' }
      },
    }),
    ...(adapter.probe && {
      async probe(...[addresses, context]: Parameters<NonNullable<Adapter['probe']>>) {
        try {
          const probeResult = await withTimeout(
            systemClock,
            timeouts.probeMs,
            adapter.probe!(addresses, context),
            timedOut,
          )
          const problem = probeResult === timedOut ? 'no outcome in time' : probeError(probeResult, addresses)
          if (probeResult !== timedOut && !problem) return probeResult
          logFailure('probe', problem, context)
        } catch (error) {
          logFailure('probe', error, context)
        }
        return { reachable: [], unreachable: [] }
      },
    }),
    ...(adapter.find && {
      async find(...[payload, context]: Parameters<NonNullable<Adapter['find']>>) {
        const { connection } = context
        try {
          const unwrapped = connection ? { ...context, connection: connections.get(connection) ?? connection } : context
          const findOutcome = await withTimeout(
            systemClock,
            timeouts.sendMs,
            adapter.find!(payload, unwrapped),
            timedOut,
          )
          const problem = findOutcome === timedOut ? 'no outcome in time' : findOutcomeError(findOutcome)
          if (findOutcome !== timedOut && !problem)
            return findOutcome.kind === 'unknown'
              ? { ...findOutcome, detail: redactSecrets(findOutcome.detail, secretsOf(context)) }
              : findOutcome
          logFailure('find', problem, context)
        } catch (error) {
          logFailure('find', error, context)
        }
        return { kind: 'unknown', detail: 'The adapter of the channel could not ask for it.' } as const
      },
    }),
    ...(adapter.revoke && {
      async revoke(...[providerId, context]: Parameters<NonNullable<Adapter['revoke']>>) {
        const { connection } = context
        try {
          const unwrapped = connection ? { ...context, connection: connections.get(connection) ?? connection } : context
          const outcome = await withTimeout(
            systemClock,
            timeouts.revokeMs,
            adapter.revoke!(providerId, unwrapped),
            timedOut,
          )
          if (outcome === 'revoked' || outcome === 'tooLate' || outcome === 'unknown') return outcome
          logFailure('revoke', outcome === timedOut ? 'no outcome in time' : 'an unknown outcome', context)
        } catch (error) {
          logFailure('revoke', error, context)
        }
        return 'unknown' as const
      },
    }),
    ...(adapter.openMedia && {
      async openMedia(...[mediaRef, context]: Parameters<NonNullable<Adapter['openMedia']>>) {
        try {
          const access = await withTimeout(
            systemClock,
            timeouts.openMs,
            adapter.openMedia!(mediaRef, context),
            timedOut,
          )
          const problem = access === timedOut ? 'no outcome in time' : mediaAccessError(access)
          if (access !== timedOut && !problem)
            return access.kind === 'at'
              ? access
              : { ...access, detail: redactSecrets(access.detail, secretsOf(context)) }
          logFailure('openMedia', problem, context)
        } catch (error) {
          logFailure('openMedia', error, context)
        }
        return { kind: 'refused', detail: 'The adapter of the channel could not open it.' } as const
      },
    }),
    ...(adapter.follow && {
      async follow(...[reference, context]: Parameters<NonNullable<Adapter['follow']>>) {
        try {
          const followOutcome = await withTimeout(
            systemClock,
            timeouts.openMs,
            adapter.follow!(reference, context),
            timedOut,
          )
          const problem = followOutcome === timedOut ? 'no outcome in time' : followOutcomeError(followOutcome)
          if (followOutcome !== timedOut && !problem)
            return followOutcome.kind === 'inbound'
              ? followOutcome
              : { ...followOutcome, detail: redactSecrets(followOutcome.detail, secretsOf(context)) }
          logFailure('follow', problem, context)
        } catch (error) {
          logFailure('follow', error, context)
        }
        return { kind: 'refused', detail: 'The adapter of the channel could not follow it.' } as const
      },
    }),
    ...(adapter.connect && {
      connect(context: Parameters<NonNullable<Adapter['connect']>>[0]) {
        try {
          const forwardItems = (items: readonly Item[]) =>
            context.report(checkItems(Array.isArray(items) ? items.slice(0, limits.itemsPerCall) : [], context))
          const connection = adapter.connect!({ ...context, report: forwardItems })
          const guard = guardConnection(connection, timeouts.closeMs, (doing, problem) =>
            logFailure(doing, problem, context),
          )
          connections.set(guard, connection)
          return guard
        } catch (error) {
          logFailure('connect', error, context)
          return deadConnection
        }
      },
    }),
  }
}

const deadConnection: ProviderConnection = {
  problem: () => 'The adapter could not open its connection.',
  close: async () => {},
}

function guardConnection(
  connection: ProviderConnection,
  closeMs: number,
  logFailure: (doing: string, problem: unknown) => void,
): ProviderConnection {
  return {
    problem() {
      try {
        const problem: unknown = connection.problem()
        return problem === undefined ? undefined : String(problem).slice(0, limits.detailChars)
      } catch (error) {
        logFailure('trouble', error)
        return 'The state of the connection cannot be read.'
      }
    },
    async close() {
      try {
        if ((await withTimeout(systemClock, closeMs, connection.close(), timedOut)) === timedOut)
          logFailure('close', 'it did not end in time')
      } catch (error) {
        logFailure('close', error)
      }
    },
  }
}

const timedOut = Symbol('late')

/**
 * Bindings whose last send timed out. One send at a time probes such a binding and the others are refused: each would
 * occupy a delivery slot until the timeout, which messages of other bindings need.
 */
function createStalledBindings() {
  // Memory grows with the entries: each adapter has one of these, and it is empty most of the time.
  const bindings = new LRUCache<string, { isProbing: boolean }>({
    maxSize: limits.stuckBindings,
    sizeCalculation: () => 1,
  })
  return {
    maySend(bindingId: string): boolean {
      const binding = bindings.get(bindingId)
      if (!binding) return true
      if (binding.isProbing) return false
      binding.isProbing = true
      return true
    },
    markStalled(bindingId: string): void {
      bindings.set(bindingId, { isProbing: false })
    },
    clear(bindingId: string): void {
      if (bindings.size > 0) bindings.delete(bindingId)
    },
  }
}
