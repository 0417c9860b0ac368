/** The quiet time after which a person no longer counts as being in a conversation. */

/**
 * The time until which a person who wrote last at `lastInboundAt` counts as active; `at` if the person is not active. A
 * time further ahead than `quietMs` dates from before the clock was set back and delays nothing.
 */
export function activeUntil(lastInboundAt: number | undefined, at: number, quietMs: number): number {
  return lastInboundAt === undefined || lastInboundAt > at + quietMs ? at : lastInboundAt + quietMs
}
