/** How long a person counts as being in a conversation after they wrote. */

/**
 * Until when a person counts as talking who wrote last at `lastInboundAt`; not later than `at` where they do not. A time that is
 * further ahead than the whole wait is from before the clock was set back, and holds nothing up.
 */
export function inConversationUntil(lastInboundAt: number | undefined, at: number, quietMs: number): number {
  return lastInboundAt === undefined || lastInboundAt > at + quietMs ? at : lastInboundAt + quietMs
}
