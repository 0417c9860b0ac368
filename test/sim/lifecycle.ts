/** The phases that every run has: processes start, copies are compared, processes stop. */
import { differences } from './copies.js'
import type { World } from './world.js'

export const stopWithinMs = 15_000
const alikeWithinMs = 30_000
export const pollEveryMs = 400

/** A promise that is rejected and taken by nobody is a violation. */
export async function withoutRejections({ history }: World, live: () => Promise<void>): Promise<void> {
  const onUnhandled = (error: unknown) => {
    history.addViolation(`a promise was rejected and nobody took it: ${(error as Error)?.stack ?? error}`)
  }
  process.on('unhandledRejection', onUnhandled)
  try {
    await live()
  } finally {
    process.off('unhandledRejection', onUnhandled)
  }
}

export function startAll({ plan, rng, timeline, nodes }: World): void {
  const starts = rng.fork('start')
  for (const [index, node] of nodes.entries()) {
    const joinsLate = index > 0 && starts.chance(0.25)
    timeline.after(joinsLate ? starts.between(0, plan.troubleMs) : starts.between(0, 50), node.start)
  }
}

/** Follower copies catch up by themselves once there are no more changes. */
export async function compareCopies(world: World): Promise<void> {
  const { timeline, history } = world
  if (world.plan.engine === 'embedded') return
  let found: readonly string[] | undefined
  void compare()
  await timeline.run(alikeWithinMs, () => found !== undefined || history.violations.length > 0)
  if (!found)
    history.addViolation(`the copies have not caught up ${alikeWithinMs / 1000} seconds after everything was still`)
  for (const each of found ?? []) history.addViolation(each)

  async function compare(): Promise<void> {
    for (;;) {
      found = await differences(world)
      if (found) return
      await timeline.sleep(pollEveryMs)
    }
  }
}

export async function stopAll({ nodes, timeline, history }: World): Promise<void> {
  let stopped = 0
  for (const node of nodes) {
    void node.stop(stopWithinMs).then((clean) => {
      if (!clean) history.addViolation(`${node.id} did not stop within ${stopWithinMs / 1000} seconds`)
      stopped++
    })
  }
  await timeline.run(stopWithinMs * 2, () => stopped === nodes.length)
}
