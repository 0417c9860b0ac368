/** Tables of bindings, in the agent's shard, and functions that read them. */
import type { AgentRef } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import { channelBinding as limits } from '../../core/limits/index.js'
import { cacheReads, type Reader, table } from '../../runtime/store/contract.js'
import type { BindingActor, BindingView, Compliance, Delivery } from './schema.js'
import type { Status } from './statemachine.js'

export interface StatusChange {
  readonly at: number
  readonly from?: Status
  readonly to: Status
  readonly note?: string
  readonly actor: BindingActor
}

export interface Binding extends AgentRef {
  readonly id: string
  readonly channel: ChannelName
  readonly mode: 'managed' | 'unmanaged'
  /** The provider that carries it; operators see it for unmanaged bindings only. */
  readonly provider: string
  readonly status: Status
  readonly statusDetail?: string
  readonly events: readonly StatusChange[]
  readonly routingId?: string
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly delivery?: Delivery
  readonly compliance?: Compliance
  /** The provider's credentials as JSON, sealed for this binding. */
  readonly auth?: Uint8Array
}

/** A binding of an agent. */
export interface BindingRef extends AgentRef {
  readonly bindingId: string
}

/** Reads are cached: campaigns read the same bindings for each batch. */
export const bindingTable = cacheReads(table<[orgId: string, agentId: string, bindingId: string], Binding>('channels'))
/** Managed rcs bindings that were released: the next request restores the same verified sender. */
export const archiveTable = table<[orgId: string, agentId: string, channel: string], Binding>('channels.archive')

/** The kind under which credentials are sealed. */
export const authKind = 'channel'

export function getBinding(reader: Reader, { orgId, agentId, bindingId }: BindingRef): Binding | undefined {
  return reader.get(bindingTable, [orgId, agentId, bindingId])
}

/** An agent's bindings, oldest first. */
export function bindingsOf(reader: Reader, { orgId, agentId }: AgentRef): Binding[] {
  const bindings = Array.from(reader.range(bindingTable, { prefix: [orgId, agentId] }), ({ value }) => value)
  const createdAt = ({ events }: Binding) => events[0]?.at ?? 0
  return bindings.sort((a, b) => createdAt(a) - createdAt(b) || (a.id < b.id ? -1 : 1))
}

/** The binding in its new status, with the change in its events; the detail of the old status is dropped. */
export function applyStatusChange(binding: Binding, change: StatusChange, statusDetail?: string): Binding {
  const { statusDetail: _before, ...rest } = binding
  const events = [...binding.events, change].slice(-limits.retainedEvents)
  return { ...rest, status: change.to, events, ...(statusDetail !== undefined && { statusDetail }) }
}

export function bindingView(binding: Binding): BindingView {
  const { id, agentId, channel, mode, provider, status, statusDetail, events, routingId } = binding
  const { inputs, delivery, compliance } = binding
  return {
    id,
    agentId,
    channel,
    ...(mode === 'unmanaged' && { provider }),
    mode,
    status,
    ...(statusDetail !== undefined && { statusDetail }),
    events: events.map(({ at, ...rest }) => ({ at: new Date(at).toISOString(), ...rest })),
    ...(routingId !== undefined && { routingId }),
    ...(inputs && { inputs }),
    ...(delivery && { delivery }),
    ...(compliance && { compliance }),
  }
}

/** What the gateway needs of an agent's bindings: those that send and receive, and those that only receive. */
export function channelRoutesOf(reader: Reader, agent: AgentRef) {
  const all = bindingsOf(reader, agent)
  const channels = all.filter(({ status }) => status === 'Active').map(toRoute)
  const notReady = all.filter(({ status }) => status === 'ActionRequired' || status === 'Disabled').map(toRoute)
  return { channels, notReady }
}

function toRoute({ id: bindingId, channel, provider, mode, routingId, inputs, delivery, compliance, auth }: Binding) {
  return {
    bindingId,
    channel,
    provider,
    mode,
    ...(routingId !== undefined && { routingId }),
    ...(delivery && { delivery }),
    ...(compliance && { compliance }),
    ...(channel === 'webchat' && inputs && { inputs }),
    ...(auth && { auth: { kind: authKind, id: bindingId, sealed: auth } }),
  }
}
