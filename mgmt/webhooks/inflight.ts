/**
 * The tries that this process has under way, so that those of a webhook which was paused, moved, rotated or deleted are
 * cut before the caller hears that it was: from then on nothing leaves that knew the old state.
 */
import type { Local } from '../../runtime/shard/contract.js'
import { type Webhook, webhookTable } from './store.js'

export interface InFlightTry {
  readonly signal: AbortSignal
  end(): void
}

export interface InFlightTries {
  /** Enters a try of the webhook as it was read; to be called in the same turn as the read. `shardLost` cuts it too. */
  track(webhook: Webhook, shardLost: AbortSignal): InFlightTry
  /** Cuts every try of that webhook which began under another revision than the one it has now, if it still has one. */
  cancelOutdated(webhookId: string, revision: number | undefined): void
}

export function createInFlightTries(): InFlightTries {
  const byWebhook = new Map<string, Map<AbortController, number>>()
  return {
    track({ id, revision }, shardLost) {
      const controller = new AbortController()
      const abort = () => controller.abort()
      if (shardLost.aborted) abort()
      else shardLost.addEventListener('abort', abort)
      const tries = byWebhook.get(id) ?? new Map<AbortController, number>()
      byWebhook.set(id, tries.set(controller, revision))
      return {
        signal: controller.signal,
        end() {
          shardLost.removeEventListener('abort', abort)
          tries.delete(controller)
          if (tries.size === 0 && byWebhook.get(id) === tries) byWebhook.delete(id)
        },
      }
    },
    cancelOutdated(webhookId, revision) {
      for (const [controller, startedUnder] of byWebhook.get(webhookId) ?? []) {
        if (startedUnder !== revision) controller.abort()
      }
    },
  }
}

/** Follows every durable change of a webhook; changes are told before they are answered. */
export function cancelOnChange(local: Pick<Local, 'watch'>, tries: InFlightTries): void {
  local.watch(webhookTable, ([, webhookId], webhook) => tries.cancelOutdated(webhookId, webhook?.revision))
}
