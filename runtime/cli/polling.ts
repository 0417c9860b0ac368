/** Polling of the commands that watch a node. */
import { setTimeout as sleep } from 'node:timers/promises'
import { commandLine as limits } from '../../core/limits/index.js'
import { Failure } from './failure.js'
import type { Terminal } from './terminal.js'

/**
 * Polls again, after a wait, until a poll succeeds. A command makes its first poll itself, and only that one may fail
 * with an error; later failures are printed, because an operator watches restarts of a node, too.
 */
export async function pollNext<T>(terminal: Pick<Terminal, 'printNotice'>, poll: () => Promise<T>): Promise<T> {
  for (;;) {
    await sleep(limits.watchEveryMs)
    try {
      return await poll()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      terminal.printNotice(error.message)
    }
  }
}
