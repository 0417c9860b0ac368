/** How long a window lasts. */

/** The longest wait for an operation that does not come within its window. */
const graceSeconds = 10

/**
 * A window ends after its time, and not before something was done in it: on a machine that stands still for a moment a
 * window of nothing would say that the candidate does nothing at all.
 */
export async function windowPasses(seconds: number, isAnythingDone: () => boolean): Promise<void> {
  await pause(seconds)
  for (let waited = 0; !isAnythingDone() && waited < graceSeconds; waited += lookSeconds) await pause(lookSeconds)
}

const lookSeconds = 0.01

export function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
