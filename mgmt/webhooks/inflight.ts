/**
 * Tries in flight in this process. A change of a webhook (pause, new URL, new secret, deletion) aborts its tries before
 * the change is answered, so nothing leaves with the old state afterwards.
 */
import type { Local } from '../../runtime/shard/contract.js'
import { type Webhook, webhookTable } from './store.js'

export interface InFlightTry {
  readonly signal: AbortSignal
  end(): void
}

export interface InFlightTries {
  /**
   * Tracks a try of the webhook as it was read; call it in the same turn as the read. `shardLost` aborts the try too.
   */
  track(webhook: Webhook, shardLost: AbortSignal): InFlightTry
  /**
   * Aborts every try of that webhook that began under another revision than `revision`; undefined for a deleted
   * webhook.
   */
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

/** Watches every durable change of a webhook. Watchers run before the change is answered. */
export function cancelOnChange(local: Pick<Local, 'watch'>, tries: InFlightTries): void {
  local.watch(webhookTable, ([, webhookId], webhook) => tries.cancelOutdated(webhookId, webhook?.revision))
}
