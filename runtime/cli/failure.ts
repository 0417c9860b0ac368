/** Exit codes of the command line, and the error that becomes its message. */

/**
 * A signal has no code here: shells report 128 plus the signal's number, 130 for Ctrl-C. A closed output pipe ends the
 * command as SIGPIPE would.
 */
export const exitCodes = { done: 0, failed: 1, bug: 3, usageError: 4, brokenPipe: 141 } as const

/** An error that the operator can understand and act upon; the command prints only its message. */
export class Failure extends Error {
  override readonly name = 'Failure'

  constructor(
    sentence: string,
    readonly exitCode: number = exitCodes.failed,
    /** The error code of the node's refusal, if a node refused. */
    readonly refusalCode?: string,
  ) {
    super(sentence)
  }
}

export function usageError(sentence: string): Failure {
  return new Failure(sentence, exitCodes.usageError)
}
