/** Time limits for calls of an adapter, on the process clock: adapters have no timers of their own. */

/**
 * Settles as `work` does, or resolves with `timeoutValue` after `ms`. The work continues, and its late result is
 * dropped.
 */
export async function withTimeout<T, const L>(ms: number, work: PromiseLike<T>, timeoutValue: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<L>((resolve) => {
    timer = setTimeout(() => resolve(timeoutValue), ms)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
