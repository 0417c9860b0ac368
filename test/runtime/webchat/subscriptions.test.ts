/** A subscriber of a visitor's record gets its changes until it leaves, while other subscribers come and go. */
import t from 'tap'
import { webchat as limits } from '../../../core/limits/index.js'
import { openSubscriptions, type Subscriber } from '../../../runtime/webchat/subscriptions.js'
import type { Head } from '../../../runtime/webchat/transcript.js'
import { manualClock } from '../../harness/clock.js'

function openScene() {
  const clock = manualClock()
  let changed: (asid: string, head: Head) => void = () => undefined
  const followers = openSubscriptions({
    local: {
      watch(_table, seen) {
        changed = (asid, head) => seen([asid] as never, head as never)
      },
    },
    clock,
  })
  return { clock, followers, change: (asid: string, newest: number) => changed(asid, { newest }) }
}

function follower(notified: string[], name: string, onNotified: () => void = () => undefined): Subscriber {
  return {
    onHead({ newest }) {
      notified.push(`${name} ${newest}`)
      onNotified()
    },
    poll: () => void notified.push(`${name} looks`),
  }
}

t.test('A subscriber that leaves during a notification keeps no other from being notified', async (t) => {
  const { followers, change } = openScene()
  const notified: string[] = []
  const first = follower(notified, 'first', () => followers.unsubscribe('as_1', first))
  followers.subscribe('as_1', first)
  followers.subscribe('as_1', follower(notified, 'second'))
  followers.subscribe('as_2', follower(notified, 'other'))
  change('as_1', 1)
  change('as_1', 2)
  t.same(notified, ['first 1', 'second 1', 'second 2'])
})

t.test('Subscribers poll, first soon and then at intervals, until the last has left', async (t) => {
  const { clock, followers, change } = openScene()
  const notified: string[] = []
  const only = follower(notified, 'only')
  followers.subscribe('as_1', only)
  await clock.advance(limits.firstPollMs)
  await clock.advance(limits.pollEveryMs)
  t.same(notified, ['only looks', 'only looks'])
  followers.unsubscribe('as_1', only)
  followers.unsubscribe('as_1', only)
  change('as_1', 3)
  await clock.advance(10 * limits.pollEveryMs)
  t.equal(notified.length, 2)
})
