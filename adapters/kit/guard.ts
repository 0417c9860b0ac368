/**
 * An adapter behind a guard: one that throws, hangs or answers nonsense is the trouble of its own bindings and of nobody
 * else. What waits is bounded in time, what is answered in shape and size; what went wrong is in the log, without a secret.
 *
 * Three things no guard can do. A function that never returns cannot be cut short, a rejection that the adapter does not
 * await is not part of its answer, and a send that was given up may still have reached the provider: its outcome is
 * unknown. A node runs the adapters of partners in threads for the first two.
 */
import { LRUCache } from 'lru-cache'
import type { Adapter, Item, Line, Received, SendOutcome } from '../../core/channel/adapter.js'
import { widerTrait } from '../../core/channel/narrower.js'
import { isRecord } from '../../core/json.js'
import { adapter as limits } from '../../core/limits.js'
import { scrubbed, secretsIn } from './secrets.js'
import {
  wrongFollowed,
  wrongFound,
  wrongItem,
  wrongOpening,
  wrongOutcome,
  wrongProbed,
  wrongReceived,
  wrongWire,
  wrongWires,
} from './shapes.js'
import { withTimeout } from './timeout.js'

/** Where the guard says what went wrong: the log of a node. */
export interface GuardLog {
  error(event: string, fields: Readonly<Record<string, string>>): void
}

export type Patience = Pick<typeof limits, 'sendMs' | 'probeMs' | 'revokeMs' | 'openMs' | 'closeMs'>

/** What `render` gives for a message that the adapter could not write; `send` knows it again, as a copy too. */
const unwritten = Object.freeze({ unwrittenByAdapter: true })
const isUnwritten = (wire: unknown) => isRecord(wire) && wire.unwrittenByAdapter === true

const refusedFor = (detail: string, again: 'later' | 'elsewhere'): SendOutcome => ({
  kind: 'refused',
  reason: 'sendFailed',
  detail,
  again,
})
const failedToSend = refusedFor('The adapter of the channel failed.', 'elsewhere')
const failedToWrite = refusedFor('The adapter of the channel could not write the message.', 'elsewhere')
/** The provider may have it. */
const tookTooLong: SendOutcome = {
  kind: 'refused',
  reason: 'sendFailed',
  detail: 'The adapter of the channel had no outcome in time.',
  again: 'later',
  isUnknown: true,
}
const isStuck = refusedFor('The adapter of the channel does not answer just now.', 'later')

export function guarded(
  adapter: Adapter,
  log: GuardLog,
  patience: { [Key in keyof Patience]: number } = limits,
): Adapter {
  const { descriptor } = adapter
  const { channel, provider, form } = descriptor
  const lines = new WeakMap<Line, Line>()
  const stuck = openStuck()

  /** `about` are the credentials and the binding that it was about, as far as there were any. */
  function tell(doing: string, problem: unknown, about: { auth?: unknown; bindingId?: string } = {}): void {
    const { auth, bindingId } = about
    const text = problem instanceof Error ? problem.message : String(problem)
    const said = scrubbed(text, secretsIn(form.credentials, auth))
    log.error('adapter.failed', { channel, provider, ...(bindingId && { bindingId }), doing, problem: said })
  }

  function checkedItems(items: readonly Item[], about: { auth?: unknown; bindingId?: string }): readonly Item[] {
    return items.map((item) => {
      const wrong = wrongItem(item)
      if (!wrong) return 'problem' in item ? { problem: scrubbed(item.problem, secretsOf(about)) } : item
      tell('receive', wrong, about)
      return { problem: wrong }
    })
  }

  function checkedParts(received: Extract<Received, { readonly kind: 'items' }>, about: { auth?: unknown }): Received {
    const items = checkedItems(received.items, about)
    if (!received.elsewhere) return { ...received, items }
    const elsewhere = received.elsewhere.map((part) =>
      part.items ? { ...part, items: checkedItems(part.items, about) } : part,
    )
    return { ...received, items, elsewhere }
  }

  const secretsOf = ({ auth }: { readonly auth?: unknown }) => secretsIn(form.credentials, auth)

  function withoutSecrets(outcome: SendOutcome, about: { readonly auth: unknown }): SendOutcome {
    if (outcome.kind === 'sent' || outcome.detail === undefined) return outcome
    return { ...outcome, detail: scrubbed(outcome.detail, secretsOf(about)) }
  }

  return {
    descriptor,
    render(blocks, about) {
      try {
        const wires = adapter.render(blocks, about)
        const wrong = wrongWires(wires)
        if (!wrong) return wires
        tell('render', wrong)
      } catch (error) {
        tell('render', error)
      }
      return [unwritten]
    },
    async send(wire, sending) {
      if (isUnwritten(wire)) return failedToWrite
      const { bindingId, line } = sending
      if (!stuck.mayTry(bindingId)) return isStuck
      try {
        const given = line ? { ...sending, line: lines.get(line) ?? line } : sending
        const outcome = await withTimeout(patience.sendMs, adapter.send(wire, given), late)
        if (outcome === late) {
          stuck.begin(bindingId)
          tell('send', 'no outcome in time', sending)
          return tookTooLong
        }
        stuck.end(bindingId)
        const wrong = wrongOutcome(outcome)
        if (!wrong) return withoutSecrets(outcome, sending)
        tell('send', wrong, sending)
      } catch (error) {
        stuck.end(bindingId)
        tell('send', error, sending)
      }
      return failedToSend
    },
    receive(request, auth) {
      const about = { auth, bindingId: request.bindingId }
      let wrong: unknown
      try {
        const received: Received = adapter.receive(request, auth)
        wrong = wrongReceived(received)
        if (!wrong) return received.kind === 'items' ? checkedParts(received, about) : received
      } catch (error) {
        wrong = error
      }
      tell('receive', wrong, about)
      // Nothing was read, so whoever called must be told to come again: it is not lost once the adapter is mended.
      throw new Error('the adapter of the channel could not read a call')
    },
    ...(adapter.signal && {
      signal(...[signal, about]: Parameters<NonNullable<Adapter['signal']>>) {
        try {
          const wire = adapter.signal!(signal, about)
          const wrong = wire === undefined ? undefined : wrongWire(wire)
          if (!wrong) return wire
          tell('signal', wrong)
        } catch (error) {
          tell('signal', error)
        }
        return undefined
      },
    }),
    ...(adapter.traitsWith && {
      traitsWith(abilities: readonly string[]) {
        try {
          const traits = adapter.traitsWith!(abilities)
          const wider = widerTrait(traits, descriptor.traits)
          if (wider === undefined) return traits
          tell('traitsWith', `${wider} is more than the channel has`)
        } catch (error) {
          tell('traitsWith', error)
        }
        return descriptor.traits
      },
    }),
    ...(adapter.wrongAuth && {
      wrongAuth(auth: unknown) {
        try {
          const wrong = adapter.wrongAuth!(auth)
          if (wrong === undefined) return undefined
          if (typeof wrong.field === 'string' && typeof wrong.message === 'string')
            return { field: wrong.field, message: scrubbed(wrong.message, secretsOf({ auth })) }
          tell('wrongAuth', 'neither a field nor a message', { auth })
        } catch (error) {
          tell('wrongAuth', error, { auth })
        }
        return { field: '', message: 'could not be judged by the adapter of the provider' }
      },
    }),
    ...(adapter.probe && {
      async probe(...[addresses, reaching]: Parameters<NonNullable<Adapter['probe']>>) {
        try {
          const probed = await withTimeout(patience.probeMs, adapter.probe!(addresses, reaching), late)
          const wrong = probed === late ? 'no outcome in time' : wrongProbed(probed, addresses)
          if (probed !== late && !wrong) return probed
          tell('probe', wrong, reaching)
        } catch (error) {
          tell('probe', error, reaching)
        }
        return { reachable: [], unreachable: [] }
      },
    }),
    ...(adapter.find && {
      async find(...[wire, finding]: Parameters<NonNullable<Adapter['find']>>) {
        const { line } = finding
        try {
          const given = line ? { ...finding, line: lines.get(line) ?? line } : finding
          const found = await withTimeout(patience.sendMs, adapter.find!(wire, given), late)
          const wrong = found === late ? 'no outcome in time' : wrongFound(found)
          if (found !== late && !wrong)
            return found.kind === 'unknown' ? { ...found, detail: scrubbed(found.detail, secretsOf(finding)) } : found
          tell('find', wrong, finding)
        } catch (error) {
          tell('find', error, finding)
        }
        return { kind: 'unknown', detail: 'The adapter of the channel could not ask for it.' } as const
      },
    }),
    ...(adapter.revoke && {
      async revoke(...[providerId, sending]: Parameters<NonNullable<Adapter['revoke']>>) {
        const { line } = sending
        try {
          const given = line ? { ...sending, line: lines.get(line) ?? line } : sending
          const outcome = await withTimeout(patience.revokeMs, adapter.revoke!(providerId, given), late)
          if (outcome === 'revoked' || outcome === 'tooLate' || outcome === 'unknown') return outcome
          tell('revoke', outcome === late ? 'no outcome in time' : 'an unknown outcome', sending)
        } catch (error) {
          tell('revoke', error, sending)
        }
        return 'unknown' as const
      },
    }),
    ...(adapter.openMedia && {
      async openMedia(...[held, reaching]: Parameters<NonNullable<Adapter['openMedia']>>) {
        try {
          const opening = await withTimeout(patience.openMs, adapter.openMedia!(held, reaching), late)
          const wrong = opening === late ? 'no outcome in time' : wrongOpening(opening)
          if (opening !== late && !wrong)
            return opening.kind === 'at'
              ? opening
              : { ...opening, detail: scrubbed(opening.detail, secretsOf(reaching)) }
          tell('openMedia', wrong, reaching)
        } catch (error) {
          tell('openMedia', error, reaching)
        }
        return { kind: 'refused', detail: 'The adapter of the channel could not open it.' } as const
      },
    }),
    ...(adapter.follow && {
      async follow(...[reference, reaching]: Parameters<NonNullable<Adapter['follow']>>) {
        try {
          const followed = await withTimeout(patience.openMs, adapter.follow!(reference, reaching), late)
          const wrong = followed === late ? 'no outcome in time' : wrongFollowed(followed)
          if (followed !== late && !wrong)
            return followed.kind === 'inbound'
              ? followed
              : { ...followed, detail: scrubbed(followed.detail, secretsOf(reaching)) }
          tell('follow', wrong, reaching)
        } catch (error) {
          tell('follow', error, reaching)
        }
        return { kind: 'refused', detail: 'The adapter of the channel could not follow it.' } as const
      },
    }),
    ...(adapter.connect && {
      connect(connecting: Parameters<NonNullable<Adapter['connect']>>[0]) {
        try {
          const told = (items: readonly Item[]) =>
            connecting.tell(checkedItems(Array.isArray(items) ? items.slice(0, limits.itemsPerCall) : [], connecting))
          const line = adapter.connect!({ ...connecting, tell: told })
          const guard = guardedLine(line, patience.closeMs, (doing, problem) => tell(doing, problem, connecting))
          lines.set(guard, line)
          return guard
        } catch (error) {
          tell('connect', error, connecting)
          return deadLine
        }
      },
    }),
  }
}

const deadLine: Line = { trouble: () => 'The adapter could not open its line.', close: async () => {} }

function guardedLine(line: Line, closeMs: number, tell: (doing: string, problem: unknown) => void): Line {
  return {
    trouble() {
      try {
        const trouble: unknown = line.trouble()
        return trouble === undefined ? undefined : String(trouble).slice(0, limits.detailChars)
      } catch (error) {
        tell('trouble', error)
        return 'The line of the adapter cannot be asked.'
      }
    },
    async close() {
      try {
        if ((await withTimeout(closeMs, line.close(), late)) === late) tell('close', 'it did not end in time')
      } catch (error) {
        tell('close', error)
      }
    },
  }
}

const late = Symbol('late')

/**
 * Bindings whose last send had no outcome in time. One send at a time finds out whether that is over, and the others are
 * not begun: each would hold a place, for as long as patience lasts, that messages of other bindings need.
 */
function openStuck() {
  // Memory grows with what is in it: each adapter has one, and mostly it is empty.
  const bindings = new LRUCache<string, { isTried: boolean }>({
    maxSize: limits.stuckBindings,
    sizeCalculation: () => 1,
  })
  return {
    mayTry(bindingId: string): boolean {
      const binding = bindings.get(bindingId)
      if (!binding) return true
      if (binding.isTried) return false
      binding.isTried = true
      return true
    },
    begin(bindingId: string): void {
      bindings.set(bindingId, { isTried: false })
    },
    end(bindingId: string): void {
      if (bindings.size > 0) bindings.delete(bindingId)
    },
  }
}
