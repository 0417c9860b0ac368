/** How long a window lasts. */

/** The longest wait for an operation that does not come within its window. */
const graceSeconds = 10

/**
 * A window ends after its time, and not before something was done in it: on a machine that stands still for a moment a
 * window of nothing would say that the candidate does nothing at all.
 */
export async function waitForWindow(seconds: number, hasOperations: () => boolean): Promise<void> {
  await sleep(seconds)
  for (let waited = 0; !hasOperations() && waited < graceSeconds; waited += pollSeconds) await sleep(pollSeconds)
}

const pollSeconds = 0.01

export function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
