/** An end to the patience with a call of an adapter, in the time of the process: adapters have no clock that could wake them. */

/** Settles as the work does, or resolves with `timeoutValue` after `ms`. The work is not ended, and what comes of it then is lost. */
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
