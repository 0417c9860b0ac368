/** Late commits over a way to write that knows nothing of them. */
import type { Change, CommitLate } from './contract.js'

/** Each is asked for when it is pressed for and the one before it has ended, however that ended. */
export function oneByOne(commit: (changes: readonly Change[]) => Promise<unknown>): CommitLate {
  let last: Promise<unknown> = Promise.resolve()
  return ({ seal, landed }) => {
    let press = () => {}
    const pressed = new Promise<void>((resolve) => {
      press = resolve
    })
    const done = Promise.all([pressed, last]).then(async () => {
      const changes = seal()
      if (changes.length > 0) await commit(changes)
      landed()
    })
    last = done.catch(() => {})
    return { done, press }
  }
}
