/** Work that can be left and gone on with, so that whoever shares a thread with others does a long text in pieces. */
export type Steps<T> = Generator<undefined, T, void>

/** All of it at once. */
export function ended<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
