/** The built-in provisioner: takes managed bindings of rcs and sms to Active on the emulator, one step per timer. */
import type { ChannelName } from '../../core/channelnames.js'
import { channelBinding as limits } from '../../core/limits/index.js'
import { scaledMs } from '../../core/time.js'
import type { Tx } from '../../runtime/shard/contract.js'
import type { Trigger } from './statemachine.js'
import type { Binding } from './store.js'
import { inputsError } from './validate.js'

export const provisionCommand = 'channels.provision'

const provisionedChannels: readonly ChannelName[] = ['rcs', 'sms']

export function isProvisioned({ mode, channel }: Pick<Binding, 'mode' | 'channel'>): boolean {
  return mode === 'managed' && provisionedChannels.includes(channel)
}

const timerName = (bindingId: string) => `${provisionCommand}:${bindingId}`

/** The step is a timer of the agent's shard, so a restart loses none. */
export function scheduleStep(tx: Tx, { orgId, agentId, id }: Binding, at: number, timeScale: number): void {
  const dueAt = at + scaledMs(limits.provisionStepMs, timeScale)
  const input = { orgId, agentId, bindingId: id }
  tx.schedule({ name: timerName(id), dueAt, command: provisionCommand, input, isDelay: true })
}

export function unscheduleStep(tx: Tx, bindingId: string): void {
  tx.unschedule(timerName(bindingId))
}

export interface Step {
  readonly on: Trigger
  readonly statusDetail?: string
}

/** The provisioner's next step for a binding; undefined when it waits for the operator or is done. */
export function nextStep(binding: Binding): Step | undefined {
  const { channel, status, inputs = {} } = binding
  if (!isProvisioned(binding)) return undefined
  if (status === 'Requested') return { on: 'started' }
  if (status !== 'Provisioning') return undefined
  const statusDetail = inputsError(channel, inputs)
  return statusDetail === undefined ? { on: 'completed' } : { on: 'blocked', statusDetail }
}
