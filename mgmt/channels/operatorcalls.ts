/**
 * Calls for the operator of a binding: its provider takes nothing more until somebody has seen to it, because of the
 * credentials, the account or the sender. The binding then is ActionRequired and says why; new credentials, or the same
 * ones entered again, make it Active.
 */
import { agentKeyOf } from '../../core/agentkey.js'
import { isRefusal } from '../../core/errors.js'
import { channelBinding as limits } from '../../core/limits.js'
import type { Log } from '../../runtime/observe/log.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { ChannelCommands } from './commands.js'
import type { BindingPlace } from './store.js'

export interface OperatorCallsOptions {
  readonly shards: Pick<Shards, 'ask'>
  readonly commands: Pick<ChannelCommands, 'report'>
  readonly log: Pick<Log, 'warn'>
}

/** `usedAuth` are the sealed credentials that the provider did not take: of others than the present ones it is old news. */
export type CallOperator = (place: BindingPlace, detail: string, usedAuth?: Uint8Array) => void

const wayOut = 'Put it right with the provider, then enter the credentials again.'

export function openOperatorCalls({ shards, commands, log }: OperatorCallsOptions): CallOperator {
  /** Every message that waits for the provider fails alike, and one report is enough. */
  const underWay = new Set<string>()

  return (place, detail, usedAuth) => {
    const { bindingId } = place
    if (underWay.has(bindingId)) return
    underWay.add(bindingId)
    const statusDetail = `${detail.trim().slice(0, limits.statusDetailChars)} ${wayOut}`
    const report = { ...place, on: 'blocked', statusDetail, ...(usedAuth && { usedAuth }) } as const
    shards
      .ask(agentKeyOf(place), commands.report, report)
      .then((outcome) => {
        // One that is ActionRequired, or gone, by now has been reported or needs no report.
        const isSettled = !isRefusal(outcome) || outcome.refused !== 'service.unavailable'
        if (!isSettled) log.warn('channel.report.failed', { bindingId })
      })
      .catch((error) => log.warn('channel.report.failed', { bindingId, error }))
      .finally(() => underWay.delete(bindingId))
  }
}
