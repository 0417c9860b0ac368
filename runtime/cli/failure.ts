/** How a command ends: what its exit code says, and a sentence when it did not do what it was asked. */

/**
 * A command that a signal ends has no code of its own: shells tell it as 128 and the signal's number, 130 for Ctrl-C.
 * Output that nobody reads any more ends it in the same way.
 */
export const exitCodes = { done: 0, failed: 1, bug: 3, usageError: 4, brokenPipe: 141 } as const

/** Something that a person can understand and act upon; its message is all that is shown. */
export class Failure extends Error {
  override readonly name = 'Failure'

  constructor(
    sentence: string,
    readonly exitCode: number = exitCodes.failed,
    /** The code of the refusal, when a node refused. */
    readonly refusalCode?: string,
  ) {
    super(sentence)
  }
}

export function usageError(sentence: string): Failure {
  return new Failure(sentence, exitCodes.usageError)
}
