/** A binding as it begins, comes back from the archive and changes: pure steps that commands put together. */
import type { AgentPlace } from '../../core/agentkey.js'
import { findInCatalog } from '../../core/catalogs/index.js'
import type { ChannelName } from '../../core/channelnames.js'
import { invalid, type Refusal } from '../../core/errors.js'
import { channelBinding as limits } from '../../core/limits.js'
import { type Trigger, walk } from './machine.js'
import { isProvisioned } from './provision.js'
import { prefilled, wrongCompliance, wrongDelivery, wrongInputs } from './rules.js'
import type { BindingActor, ChannelPatch } from './schema.js'
import { type Binding, moved } from './store.js'

type Inputs = Readonly<Record<string, unknown>>

export interface NewBinding extends AgentPlace {
  /** Minted before the command is asked, because credentials are sealed for it and providers find it by then. */
  readonly id: string
  readonly channel: ChannelName
  readonly mode: 'managed' | 'unmanaged'
  readonly provider?: string
  readonly inputs?: Inputs
  readonly auth?: Uint8Array
}

export type BindingChange = Omit<ChannelPatch, 'auth'> & { readonly auth?: Uint8Array }

interface Act {
  readonly at: number
  readonly actor: BindingActor
}

const unprovisioned = 'Nobody sets this channel up by itself here. Bind it unmanaged, with an account of your own.'

/** What carries a binding that names no provider: the gateway itself, or the emulator. */
function carrierOf(channel: ChannelName): string {
  return channel === 'webchat' ? 'webchat' : 'emulator'
}

/** Nobody has to approve it, so nothing has to be set up again when its inputs change. */
function isInstant(channel: ChannelName): boolean {
  return findInCatalog('channels', channel)?.instant === true
}

/** Unmanaged bindings, whose credentials were checked, and channels that nobody has to approve are Active at once. */
export function begun(input: NewBinding, identity: Inputs, { at, actor }: Act): Binding {
  const { orgId, agentId, id, channel, mode, provider = carrierOf(channel), auth } = input
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
    ...(!isReady && !isProvisioned(input) && { statusDetail: unprovisioned }),
    ...(mode === 'managed' && { inputs: prefilled(channel, identity, input.inputs ?? {}) }),
    ...(auth && { auth }),
  }
}

/** The same sender under the same id, requested anew. */
export function restored(archived: Binding, { inputs }: NewBinding, { at, actor }: Act): Binding {
  const again = { ...archived, inputs: { ...archived.inputs, ...inputs } }
  return moved(again, { at, to: 'Requested', note: 'Restored from the archive.', actor })
}

/** Undefined when the table has no such move. */
export function taken(binding: Binding, on: Trigger, { at, actor }: Act, detail?: string): Binding | undefined {
  const to = walk(binding.status, on)
  return to && moved(binding, { at, from: binding.status, to, actor, ...(detail && { note: detail }) }, detail)
}

export function wrongChange({ channel, mode }: Binding, change: BindingChange): Refusal | undefined {
  if (change.auth && mode === 'managed') return invalid('auth', 'is for unmanaged bindings', { status: 400 })
  const unfit = change.inputs && isInstant(channel) && wrongInputs(channel, change.inputs)
  if (unfit) return invalid('inputs', unfit, { status: 400 })
  return wrongDelivery(change.delivery) ?? wrongCompliance(channel, change.compliance)
}

/** Members that are sent are set, and null takes one away; null or an empty object takes all of them. */
function withDelivery(before: Binding['delivery'], change: BindingChange['delivery']): Binding['delivery'] {
  if (change === undefined) return before
  if (change === null || Object.keys(change).length === 0) return undefined
  const { loopGuard = before?.loopGuard, ...pace } = change
  const { loopGuard: _before, ...kept } = before ?? {}
  const delivery = { ...kept, ...pace, ...(loopGuard && { loopGuard: { ...limits.loopGuard, ...loopGuard } }) }
  return Object.keys(delivery).length === 0 ? undefined : delivery
}

/** A setting that is null, or that sets nothing, is gone. */
export function withSettings(binding: Binding, { auth, delivery, compliance }: BindingChange): Binding {
  const { delivery: pace, compliance: rules, ...rest } = binding
  const nextPace = withDelivery(pace, delivery)
  const nextRules = compliance === undefined ? rules : compliance && { enabled: false, ...compliance }
  return {
    ...rest,
    ...(auth && { auth }),
    ...(nextPace && { delivery: nextPace }),
    ...(nextRules && { compliance: nextRules }),
  }
}

/**
 * The binding with what its setup was waiting for. Inputs send it back to the provisioner; new credentials, which were
 * checked on the way here, are all that an unmanaged binding can be waiting for. Undefined when nobody asked for inputs.
 */
export function supplied(binding: Binding, { inputs, auth }: BindingChange, act: Act): Binding | undefined {
  if (auth && binding.status === 'ActionRequired') {
    const checked = taken(binding, 'supplied', act)
    return checked && taken(checked, 'completed', act)
  }
  if (!inputs) return binding
  const managed = binding.mode === 'managed' ? binding : undefined
  const given = managed && (isInstant(managed.channel) ? managed : taken(managed, 'supplied', act))
  return given && { ...given, inputs: { ...binding.inputs, ...inputs } }
}
