/** Creates, restores and changes bindings: pure functions that the commands combine. */
import type { AgentRef } from '../../core/agentref.js'
import { findInCatalog } from '../../core/catalogs/index.js'
import type { ChannelName } from '../../core/channelnames.js'
import { invalid, type Refusal } from '../../core/errors.js'
import { channelBinding as limits } from '../../core/limits/index.js'
import { isProvisioned } from './provision.js'
import type { BindingActor, ChannelPatch } from './schema.js'
import { next, type Trigger } from './statemachine.js'
import { applyStatusChange, type Binding } from './store.js'
import { complianceError, deliveryError, inputsError, prefill } from './validate.js'

type Inputs = Readonly<Record<string, unknown>>

export interface NewBinding extends AgentRef {
  /** Minted before the command runs: credentials are sealed for it, and the binding index has its row by then. */
  readonly id: string
  readonly channel: ChannelName
  readonly mode: 'managed' | 'unmanaged'
  readonly provider?: string
  readonly inputs?: Inputs
  readonly auth?: Uint8Array
}

export type BindingChange = Omit<ChannelPatch, 'auth'> & { readonly auth?: Uint8Array }

interface ChangeContext {
  readonly at: number
  readonly actor: BindingActor
}

const notProvisionedDetail =
  'This installation cannot provision the channel. Bind it unmanaged, with an account of your own.'

/** The provider of a binding that names none: the gateway itself for web chat, else the emulator. */
function defaultProviderOf(channel: ChannelName): string {
  return channel === 'webchat' ? 'webchat' : 'emulator'
}

/** A channel without an approval step, so a change of inputs needs no new setup. */
function isInstant(channel: ChannelName): boolean {
  return findInCatalog('channels', channel)?.instant === true
}

/** Unmanaged bindings, whose credentials were checked, and bindings of instant channels are Active at once. */
export function createBinding(input: NewBinding, identity: Inputs, { at, actor }: ChangeContext): Binding {
  const { orgId, agentId, id, channel, mode, provider = defaultProviderOf(channel), auth } = input
  const isReady = mode === 'unmanaged' || isInstant(channel)
  const status = isReady ? 'Active' : 'Requested'
  return {
    orgId,
    agentId,
    id,
    channel,
    mode,
    provider,
    status,
    events: [{ at, to: status, actor }],
    ...(!isReady && !isProvisioned(input) && { statusDetail: notProvisionedDetail }),
    ...(mode === 'managed' && { inputs: prefill(channel, identity, input.inputs ?? {}) }),
    ...(auth && { auth }),
  }
}

/** The archived sender under its old id, requested again. */
export function restoreBinding(archived: Binding, { inputs }: NewBinding, { at, actor }: ChangeContext): Binding {
  const merged = { ...archived, inputs: { ...archived.inputs, ...inputs } }
  return applyStatusChange(merged, { at, to: 'Requested', note: 'Restored from the archive.', actor })
}

/** Undefined when the state machine has no such transition. */
export function applyTrigger(
  binding: Binding,
  on: Trigger,
  { at, actor }: ChangeContext,
  detail?: string,
): Binding | undefined {
  const to = next(binding.status, on)
  return (
    to && applyStatusChange(binding, { at, from: binding.status, to, actor, ...(detail && { note: detail }) }, detail)
  )
}

export function changeError({ channel, mode }: Binding, change: BindingChange): Refusal | undefined {
  if (change.auth && mode === 'managed') return invalid('auth', 'is for unmanaged bindings', { status: 400 })
  const message = change.inputs && isInstant(channel) && inputsError(channel, change.inputs)
  if (message) return invalid('inputs', message, { status: 400 })
  return deliveryError(change.delivery) ?? complianceError(channel, change.compliance)
}

/** Sets the members that the change names; null removes a member. Null or an empty object removes all settings. */
function withDelivery(before: Binding['delivery'], change: BindingChange['delivery']): Binding['delivery'] {
  if (change === undefined) return before
  if (change === null || Object.keys(change).length === 0) return undefined
  const { loopGuard = before?.loopGuard, ...others } = change
  const { loopGuard: _before, ...settings } = before ?? {}
  const delivery = { ...settings, ...others, ...(loopGuard && { loopGuard: { ...limits.loopGuard, ...loopGuard } }) }
  return Object.keys(delivery).length === 0 ? undefined : delivery
}

/** Removes a setting that is null or has no members. */
export function withSettings(binding: Binding, { auth, delivery, compliance }: BindingChange): Binding {
  const { delivery: currentDelivery, compliance: currentCompliance, ...rest } = binding
  const nextDelivery = withDelivery(currentDelivery, delivery)
  const nextCompliance = compliance === undefined ? currentCompliance : compliance && { enabled: false, ...compliance }
  return {
    ...rest,
    ...(auth && { auth }),
    ...(nextDelivery && { delivery: nextDelivery }),
    ...(nextCompliance && { compliance: nextCompliance }),
  }
}

/**
 * Applies the inputs or credentials that a binding waits for. Inputs send it back to the provisioner; an unmanaged
 * binding can wait only for credentials, which the route has checked. Undefined when the binding waits for neither.
 */
export function supplyInputs(
  binding: Binding,
  { inputs, auth }: BindingChange,
  context: ChangeContext,
): Binding | undefined {
  if (auth && binding.status === 'ActionRequired') {
    const checked = applyTrigger(binding, 'supplied', context)
    return checked && applyTrigger(checked, 'completed', context)
  }
  if (!inputs) return binding
  const managed = binding.mode === 'managed' ? binding : undefined
  const updated = managed && (isInstant(managed.channel) ? managed : applyTrigger(managed, 'supplied', context))
  return updated && { ...updated, inputs: { ...binding.inputs, ...inputs } }
}
