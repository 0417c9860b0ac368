/** The built-in provisioner: takes managed bindings of rcs and sms to Active on the emulator, a step at a time. */
import type { ChannelName } from '../../core/channelnames.js'
import { channelBinding as limits } from '../../core/limits.js'
import type { Tx } from '../../runtime/shard/contract.js'
import type { Trigger } from './machine.js'
import { wrongInputs } from './rules.js'
import type { Binding } from './store.js'

export const provisionCommand = 'channels.provision'

const provisioned: readonly ChannelName[] = ['rcs', 'sms']

export function isProvisioned({ mode, channel }: Pick<Binding, 'mode' | 'channel'>): boolean {
  return mode === 'managed' && provisioned.includes(channel)
}

const timerOf = (bindingId: string) => `${provisionCommand}:${bindingId}`

/** The step is a timer of the agent's, so a restart loses none. */
export function scheduleStep(tx: Tx, { orgId, agentId, id }: Binding, at: number, timeScale: number): void {
  const dueAt = at + Math.ceil(limits.provisionStepMs / timeScale)
  const input = { orgId, agentId, bindingId: id }
  tx.schedule({ name: timerOf(id), dueAt, command: provisionCommand, input, isDelay: true })
}

export function unscheduleStep(tx: Tx, bindingId: string): void {
  tx.unschedule(timerOf(bindingId))
}

export interface Step {
  readonly on: Trigger
  readonly statusDetail?: string
}

/** What the provisioner does next with a binding; undefined when it waits for somebody else. */
export function nextStep(binding: Binding): Step | undefined {
  const { channel, status, inputs = {} } = binding
  if (!isProvisioned(binding)) return undefined
  if (status === 'Requested') return { on: 'takenUp' }
  if (status !== 'Provisioning') return undefined
  const statusDetail = wrongInputs(channel, inputs)
  return statusDetail === undefined ? { on: 'completed' } : { on: 'blocked', statusDetail }
}
