/**
 * Writer of the audit trail. It records successful calls at once and counts refused ones, so that callers cannot fill
 * the disk.
 */
import { type Actor, actorOf, type Caller } from '../../core/access.js'
import type { ErrorCode } from '../../core/errors.js'
import { isSlug } from '../../core/ids.js'
import { audit as limits } from '../../core/limits/access.js'
import type { Clock } from '../../runtime/clock.js'
import type { Audit, AuditedCall } from '../../runtime/http/audit.js'
import type { Log } from '../../runtime/observe/log.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { refusedAction } from './actions.js'
import type { AuditEvent, AuditStore } from './store.js'

export interface TrailOptions {
  readonly shards: Shards
  readonly store: Pick<AuditStore, 'commands'>
  readonly clock: Clock
  readonly log: Log
}

export interface Trail extends Audit {
  record(orgId: string, event: AuditEvent): Promise<void>
  /** Writes the counts of windows that have not ended. */
  close(): Promise<void>
}

interface Window {
  readonly cancel: () => void
  /** Refused calls after the first one, which has its own entry. */
  readonly counts: Map<string, { readonly event: AuditEvent; repeats: number }>
}

const unknown: Actor = { kind: 'unknown', id: 'unknown' }
const others: Actor = { kind: 'unknown', id: 'others' }

export function openTrail({ shards, store, clock, log }: TrailOptions): Trail {
  const windows = new Map<string, Window>()

  /** The log gets every entry, also one that the org's shard cannot accept at the moment. */
  async function record(orgId: string, event: AuditEvent): Promise<void> {
    const { actor, action, agentId, target, requestId, code, count } = event
    const fields = {
      orgId,
      action,
      actorKind: actor.kind,
      actorId: actor.id,
      ...(actor.keyId && { keyId: actor.keyId }),
    }
    log.info('audit.recorded', { ...fields, agentId, target, requestId, code, count })
    try {
      await shards.execute(orgId, store.commands.record, { orgId, event })
    } catch (error) {
      log.error('audit.write_failed', { orgId, action, error })
    }
  }

  async function flush(orgId: string): Promise<void> {
    const { cancel, counts } = windows.get(orgId)!
    cancel()
    windows.delete(orgId)
    const pending = [...counts.values()].filter(({ repeats }) => repeats > 0)
    await Promise.all(pending.map(({ event, repeats }) => record(orgId, { ...event, count: repeats })))
  }

  function openWindow(orgId: string): Window | undefined {
    const existing = windows.get(orgId)
    if (existing || windows.size >= limits.refusedOrgs) return existing
    const cancel = clock.setTimer(clock.now() + limits.refusedWindowMs, () => void flush(orgId))
    const created = { cancel, counts: new Map() }
    windows.set(orgId, created)
    return created
  }

  return {
    record,
    recordAction(action, call, createdId) {
      const { caller } = call
      return caller
        ? record(caller.orgId, { actor: actorOf(caller), action, ...requestFieldsOf(call, createdId) })
        : Promise.resolve()
    },
    recordRefusal(code, call) {
      const orgId = call.caller?.orgId ?? call.params.org ?? ''
      const counts = isSlug(orgId) ? openWindow(orgId)?.counts : undefined
      if (!counts) return undefined
      const key = refusedKey(code, call.caller)
      const isOverLimit = !counts.has(key) && counts.size >= limits.refusedActorsPerOrg
      const existing = counts.get(isOverLimit ? '' : key)
      if (existing) {
        existing.repeats++
        return undefined
      }
      const actor = isOverLimit ? others : call.caller ? actorOf(call.caller) : unknown
      const event = { actor, action: refusedAction, code }
      counts.set(isOverLimit ? '' : key, { event, repeats: 0 })
      // The path of an unauthenticated call is not recorded: the ids in it are not known to exist.
      return record(orgId, call.caller ? { ...event, ...requestFieldsOf(call) } : event)
    },
    async close() {
      await Promise.all([...windows.keys()].map(flush))
    },
  }
}

function refusedKey(code: ErrorCode, caller: Caller | undefined): string {
  return caller ? `${caller.kind} ${caller.id} ${code}` : `unknown ${code}`
}

function requestFieldsOf({ params, requestId }: AuditedCall, createdId?: string): Omit<AuditEvent, 'actor' | 'action'> {
  const { org: _org, agent: agentId, ...others } = params
  const target = Object.values(others).at(-1) ?? createdId
  return { ...(agentId && { agentId }), ...(target && { target }), requestId }
}
