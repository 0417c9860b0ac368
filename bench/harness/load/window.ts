/** The length of a window. */

/** The longest wait for a first operation after the window's time. */
const graceSeconds = 10

/**
 * A window ends after its time, and not before one operation was done in it: after a stall of the machine an empty
 * window would show a throughput of zero.
 */
export async function waitForWindow(seconds: number, hasOperations: () => boolean): Promise<void> {
  await sleep(seconds)
  for (let waited = 0; !hasOperations() && waited < graceSeconds; waited += pollSeconds) await sleep(pollSeconds)
}

const pollSeconds = 0.01

export function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
