/** The writer of the audit trail: what succeeded at once, what was refused counted, so that callers cannot fill the disk. */
import { type Actor, actorOf, type Caller } from '../../core/access.js'
import { audit as limits } from '../../core/accesslimits.js'
import type { ErrorCode } from '../../core/errors.js'
import { isSlug } from '../../core/ids.js'
import type { Clock } from '../../runtime/clock.js'
import type { Audit, AuditedCall } from '../../runtime/http/audit.js'
import type { Log } from '../../runtime/observe/log.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { refusedAction } from './actions.js'
import type { AuditStore, Noted } from './store.js'

export interface TrailOptions {
  readonly shards: Shards
  readonly store: Pick<AuditStore, 'commands'>
  readonly clock: Clock
  readonly log: Log
}

export interface Trail extends Audit {
  note(orgId: string, noted: Noted): Promise<void>
  /** Writes the counts that wait for the end of their hour. */
  close(): Promise<void>
}

interface Window {
  readonly cancel: () => void
  /** Refused calls after the first, which has an entry of its own. */
  readonly counts: Map<string, { readonly noted: Noted; more: number }>
}

const unknown: Actor = { kind: 'unknown', id: 'unknown' }
const others: Actor = { kind: 'unknown', id: 'others' }

export function openTrail({ shards, store, clock, log }: TrailOptions): Trail {
  const windows = new Map<string, Window>()

  /** The log has every entry, also one that the org's shard cannot take just now. */
  async function note(orgId: string, noted: Noted): Promise<void> {
    const { actor, action, agentId, target, requestId, code, count } = noted
    const about = {
      orgId,
      action,
      actorKind: actor.kind,
      actorId: actor.id,
      ...(actor.keyId && { keyId: actor.keyId }),
    }
    log.info('audit.recorded', { ...about, agentId, target, requestId, code, count })
    try {
      await shards.ask(orgId, store.commands.note, { orgId, noted })
    } catch (error) {
      log.error('audit.not_kept', { orgId, action, error })
    }
  }

  async function flush(orgId: string): Promise<void> {
    const { cancel, counts } = windows.get(orgId)!
    cancel()
    windows.delete(orgId)
    const waiting = [...counts.values()].filter(({ more }) => more > 0)
    await Promise.all(waiting.map(({ noted, more }) => note(orgId, { ...noted, count: more })))
  }

  function windowOf(orgId: string): Window | undefined {
    const known = windows.get(orgId)
    if (known || windows.size >= limits.refusedOrgs) return known
    const cancel = clock.wake(clock.now() + limits.refusedWindowMs, () => void flush(orgId))
    const opened = { cancel, counts: new Map() }
    windows.set(orgId, opened)
    return opened
  }

  return {
    note,
    done(action, call, made) {
      const { caller } = call
      return caller ? note(caller.orgId, { actor: actorOf(caller), action, ...aboutOf(call, made) }) : Promise.resolve()
    },
    refused(code, call) {
      const orgId = call.caller?.orgId ?? call.params.org ?? ''
      const counts = isSlug(orgId) ? windowOf(orgId)?.counts : undefined
      if (!counts) return undefined
      const key = refusedKey(code, call.caller)
      const isOneTooMany = !counts.has(key) && counts.size >= limits.refusedActorsPerOrg
      const counted = counts.get(isOneTooMany ? '' : key)
      if (counted) {
        counted.more++
        return undefined
      }
      const actor = isOneTooMany ? others : call.caller ? actorOf(call.caller) : unknown
      const noted = { actor, action: refusedAction, code }
      counts.set(isOneTooMany ? '' : key, { noted, more: 0 })
      // What a stranger put into the path is not kept: it is not known to name anything.
      return note(orgId, call.caller ? { ...noted, ...aboutOf(call) } : noted)
    },
    async close() {
      await Promise.all([...windows.keys()].map(flush))
    },
  }
}

function refusedKey(code: ErrorCode, caller: Caller | undefined): string {
  return caller ? `${caller.kind} ${caller.id} ${code}` : `unknown ${code}`
}

function aboutOf({ params, requestId }: AuditedCall, made?: string): Omit<Noted, 'actor' | 'action'> {
  const { org: _org, agent: agentId, ...others } = params
  const target = Object.values(others).at(-1) ?? made
  return { ...(agentId && { agentId }), ...(target && { target }), requestId }
}
