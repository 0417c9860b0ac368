/**
 * Marks a binding ActionRequired when its provider refuses everything until an operator acts, because of the
 * credentials, the account or the sender. The binding's status says why; new credentials, or the same ones entered
 * again, make it Active.
 */
import { formatAgentKey } from '../../core/agentref.js'
import { isRefusal } from '../../core/errors.js'
import { channelBinding as limits } from '../../core/limits/index.js'
import type { Log } from '../../runtime/observe/log.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { ChannelCommands } from './commands.js'
import type { BindingRef } from './store.js'

export interface MarkActionRequiredOptions {
  readonly shards: Pick<Shards, 'execute'>
  readonly commands: Pick<ChannelCommands, 'report'>
  readonly log: Pick<Log, 'warn'>
}

/**
 * `usedAuth` are the sealed credentials that the provider refused: the report is dropped if the binding has others by
 * now.
 */
export type MarkActionRequired = (ref: BindingRef, detail: string, usedAuth?: Uint8Array) => void

const remedy = 'Put it right with the provider, then enter the credentials again.'

export function createMarkActionRequired({ shards, commands, log }: MarkActionRequiredOptions): MarkActionRequired {
  /** Bindings with a report in progress: every message for the provider fails alike, and one report is enough. */
  const inProgress = new Set<string>()

  return (ref, detail, usedAuth) => {
    const { bindingId } = ref
    if (inProgress.has(bindingId)) return
    inProgress.add(bindingId)
    const statusDetail = `${detail.trim().slice(0, limits.statusDetailChars)} ${remedy}`
    const report = { ...ref, on: 'blocked', statusDetail, ...(usedAuth && { usedAuth }) } as const
    shards
      .execute(formatAgentKey(ref), commands.report, report)
      .then((outcome) => {
        // Any other refusal means that the binding was deleted or needs no report.
        const isHandled = !isRefusal(outcome) || outcome.refused !== 'service.unavailable'
        if (!isHandled) log.warn('channel.report.failed', { bindingId })
      })
      .catch((error) => log.warn('channel.report.failed', { bindingId, error }))
      .finally(() => inProgress.delete(bindingId))
  }
}
