/**
 * The commands that create, change, switch and release an agent's bindings, and the changes that come with the agent's
 * own.
 */
import type { AgentRef } from '../../core/agentref.js'
import { refuse } from '../../core/errors.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import {
  applyTrigger,
  type BindingChange,
  changeError,
  createBinding,
  type NewBinding,
  restoreBinding,
  supplyInputs,
  withSettings,
} from './binding.js'
import { bindingIndex, ownerOfBinding } from './bindingindex.js'
import { indexProvider, unindexProvider } from './byprovider.js'
import { isProvisioned, nextStep, provisionCommand, scheduleStep, unscheduleStep } from './provision.js'
import type { BindingView } from './schema.js'
import type { Trigger } from './statemachine.js'
import {
  archiveTable,
  type Binding,
  type BindingRef,
  bindingsOf,
  bindingTable,
  bindingView,
  getBinding,
} from './store.js'

export interface ChangeBinding extends BindingRef {
  readonly change: BindingChange
}

/** Report of a provisioner or of a provider's adapter about a binding. */
export interface BindingReport extends BindingRef {
  readonly on: Extract<Trigger, 'started' | 'completed' | 'blocked' | 'failed'>
  readonly statusDetail?: string
  /** The sealed credentials that the report is about, if it is about credentials. */
  readonly usedAuth?: Uint8Array
}

/** Listeners of later areas on bindings. */
export interface BindingListeners {
  /**
   * Called in the commit in which an operator deletes a binding; not when all bindings are deleted with their agent.
   */
  readonly removed: ((tx: Tx, agent: AgentRef, bindingId: string) => void)[]
  /** Called in the commit in which a binding becomes Active. */
  readonly ready: ((tx: Tx, agent: AgentRef, at: number) => void)[]
}

export interface ChannelCommandsDeps {
  /** The command that sends an event to the org's webhooks. */
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly timeScale: number
  readonly listeners?: BindingListeners
}

const notFound = refuse('resource.not_found')

const conflict = (detail: string) => refuse('agent.channel.state_conflict', { detail })

export function createChannelCommands({ orgEvent, timeScale, listeners }: ChannelCommandsDeps) {
  /** Writes a binding, and sends the org an event if its status has changed. */
  function saveBinding(tx: Tx, binding: Binding, before?: Binding): BindingView {
    const { orgId, agentId, id, channel, status, statusDetail } = binding
    tx.put(bindingTable, [orgId, agentId, id], binding)
    if (!before) indexProvider(tx, binding)
    if (status !== before?.status) {
      const { at, ...last } = binding.events.at(-1)!
      const data = { id, channel, ...last, ...(statusDetail !== undefined && { statusDetail }) }
      tx.send(orgId, orgEvent, { type: 'channel.status_changed', orgId, agentId, data })
      if (status === 'Active') for (const listener of listeners?.ready ?? []) listener(tx, { orgId, agentId }, at)
    }
    return bindingView(binding)
  }

  const create: Command<NewBinding, BindingView> = {
    name: 'channels.create',
    decide(tx, input, { at }) {
      const agent = findAgent(tx, input)
      if (!agent) return notFound
      if (bindingsOf(tx, input).some(({ channel }) => channel === input.channel)) {
        return refuse('agent.channel.taken', { detail: `The agent has a binding of ${input.channel} already.` })
      }
      const context = { at, actor: 'operator' } as const
      const archived = input.mode === 'managed' && tx.get(archiveTable, archiveKey(input))
      const binding = archived
        ? restoreBinding(archived, input, context)
        : createBinding(input, agent.identity ?? {}, context)
      if (archived) tx.remove(archiveTable, archiveKey(input))
      if (isProvisioned(binding)) scheduleStep(tx, binding, at, timeScale)
      return saveBinding(tx, binding)
    },
  }

  const change: Command<ChangeBinding, BindingView> = {
    name: 'channels.change',
    decide(tx, { change, ...ref }, { at }) {
      const before = getBinding(tx, ref)
      if (!before) return notFound
      const refusal = changeError(before, change)
      if (refusal) return refusal
      const binding = supplyInputs(withSettings(before, change), change, { at, actor: 'operator' })
      if (!binding) return conflict(`A binding that is ${before.status} takes no inputs.`)
      if (change.inputs && isProvisioned(binding)) scheduleStep(tx, binding, at, timeScale)
      return saveBinding(tx, binding, before)
    },
  }

  const setEnabled: Command<BindingRef & { readonly on: 'disabled' | 'enabled' }, BindingView> = {
    name: 'channels.setEnabled',
    decide(tx, { on, ...ref }, { at }) {
      const before = getBinding(tx, ref)
      if (!before) return notFound
      const after = applyTrigger(before, on, { at, actor: 'operator' })
      return after ? saveBinding(tx, after, before) : conflict(`A binding that is ${before.status} cannot be ${on}.`)
    },
  }

  /** Ends a pending request or releases a live binding. Archives a managed rcs sender that was verified. */
  const remove: Command<BindingRef, true> = {
    name: 'channels.remove',
    decide(tx, ref) {
      const binding = getBinding(tx, ref)
      if (!binding) return notFound
      const { orgId, agentId, id, channel, mode, routingId } = binding
      tx.remove(bindingTable, [orgId, agentId, id])
      unindexProvider(tx, binding)
      unscheduleStep(tx, id)
      if (channel === 'rcs' && mode === 'managed' && routingId !== undefined) {
        tx.put(archiveTable, archiveKey(binding), binding)
      } else tx.send(ownerOfBinding(id), bindingIndex.remove, { bindingId: id })
      for (const listener of listeners?.removed ?? []) listener(tx, { orgId, agentId }, id)
      return true
    },
  }

  const report: Command<BindingReport, BindingView> = {
    name: 'channels.report',
    decide(tx, { on, statusDetail, usedAuth, ...ref }, { at }) {
      const before = getBinding(tx, ref)
      if (!before) return notFound
      // A report about credentials that were rotated meanwhile does not apply to the present ones.
      if (usedAuth && !isSameBytes(usedAuth, before.auth))
        return conflict('The credentials of the binding are others by now.')
      const after = applyTrigger(before, on, { at, actor: 'system' }, statusDetail)
      return after ? saveBinding(tx, after, before) : conflict(`A binding that is ${before.status} cannot be ${on}.`)
    },
  }

  /** Does nothing if the binding was deleted or does not wait for the provisioner. */
  const provision: Command<BindingRef, boolean> = {
    name: provisionCommand,
    decide(tx, ref, { at, mint }) {
      const before = getBinding(tx, ref)
      const step = before && nextStep(before)
      const after = step && applyTrigger(before, step.on, { at, actor: 'system' }, step.statusDetail)
      if (!after) return false
      const isVerified = after.status === 'Active'
      saveBinding(tx, isVerified ? { ...after, routingId: before.routingId ?? mint('sender') } : after, before)
      if (nextStep(after)) scheduleStep(tx, after, at, timeScale)
      return true
    },
  }

  const lifecycle = {
    created(tx: Tx, { orgId, agentId }: AgentRef, meta: CommandMeta): void {
      const id = meta.mint('cb')
      const webchat = { orgId, agentId, id, channel: 'webchat', mode: 'managed' } as const
      tx.send(ownerOfBinding(id), bindingIndex.put, { orgId, agentId, bindingId: id })
      saveBinding(tx, createBinding(webchat, findAgent(tx, webchat)?.identity ?? {}, { at: meta.at, actor: 'system' }))
    },
    removed(tx: Tx, agent: AgentRef): void {
      const { orgId, agentId } = agent
      const archived = Array.from(tx.range(archiveTable, { prefix: [orgId, agentId] }), ({ value }) => value)
      for (const binding of [...bindingsOf(tx, agent), ...archived]) {
        const { id, channel } = binding
        unindexProvider(tx, binding)
        tx.remove(bindingTable, [orgId, agentId, id])
        tx.remove(archiveTable, [orgId, agentId, channel])
        unscheduleStep(tx, id)
        tx.send(ownerOfBinding(id), bindingIndex.remove, { bindingId: id })
      }
    },
  }

  return { commands: { create, change, setEnabled, remove, report, provision }, lifecycle }
}
export type ChannelCommands = ReturnType<typeof createChannelCommands>['commands']

function isSameBytes(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && Buffer.compare(a, b) === 0
}

function archiveKey({ orgId, agentId, channel }: Pick<Binding, 'orgId' | 'agentId' | 'channel'>) {
  return [orgId, agentId, channel] as [string, string, string]
}
