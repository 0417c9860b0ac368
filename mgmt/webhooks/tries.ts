/**
 * The tries that this process has under way, so that those of a webhook which was paused, moved, rotated or deleted are
 * cut before the caller hears that it was: from then on nothing leaves that knew the old state.
 */
import type { Local } from '../../runtime/shard/contract.js'
import { type Webhook, webhookTable } from './store.js'

export interface Try {
  readonly signal: AbortSignal
  end(): void
}

export interface Tries {
  /** Enters a try of the webhook as it was read; to be called in the same turn as the read. `lost` cuts it too. */
  begin(webhook: Webhook, lost: AbortSignal): Try
  /** Cuts every try of that webhook which began under another revision than the one it has now, if it still has one. */
  keepOnly(webhookId: string, revision: number | undefined): void
}

export function openTries(): Tries {
  const underWay = new Map<string, Map<AbortController, number>>()
  return {
    begin({ id, revision }, lost) {
      const controller = new AbortController()
      const cut = () => controller.abort()
      if (lost.aborted) cut()
      else lost.addEventListener('abort', cut)
      const tries = underWay.get(id) ?? new Map<AbortController, number>()
      underWay.set(id, tries.set(controller, revision))
      return {
        signal: controller.signal,
        end() {
          lost.removeEventListener('abort', cut)
          tries.delete(controller)
          if (tries.size === 0 && underWay.get(id) === tries) underWay.delete(id)
        },
      }
    },
    keepOnly(webhookId, revision) {
      for (const [controller, begunUnder] of underWay.get(webhookId) ?? []) {
        if (begunUnder !== revision) controller.abort()
      }
    },
  }
}

/** Follows every durable change of a webhook; changes are told before they are answered. */
export function followWebhooks(changes: Pick<Local, 'watch'>, tries: Tries): void {
  changes.watch(webhookTable, ([, webhookId], webhook) => tries.keepOnly(webhookId, webhook?.revision))
}
