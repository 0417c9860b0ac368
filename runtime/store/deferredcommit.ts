/** Adapts a plain commit function to CommitDeferred, one commit at a time. */
import type { Change, CommitDeferred } from './contract.js'

/** Each commit is collected once it is flushed and the previous one has settled, resolved or rejected. */
export function serialCommits(commit: (changes: readonly Change[]) => Promise<unknown>): CommitDeferred {
  let last: Promise<unknown> = Promise.resolve()
  return ({ collect, onCommitted: committed }) => {
    let flush = () => {}
    const flushed = new Promise<void>((resolve) => {
      flush = resolve
    })
    const done = Promise.all([flushed, last]).then(async () => {
      const changes = collect()
      if (changes.length > 0) await commit(changes)
      committed()
    })
    last = done.catch(() => {})
    return { done, flush }
  }
}
