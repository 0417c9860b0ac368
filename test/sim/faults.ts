/** The faults of a world: each begins at a random moment of the seed and ends after a while. */
import type { SimNode } from './node.js'
import type { EngineKind } from './plan.js'
import type { Rng } from './world/rng.js'
import type { World } from './world.js'

export interface Fault {
  readonly name: string
  readonly weight: number
  readonly engines: readonly EngineKind[]
  /** Only in worlds whose clocks may be wrong, and only in those whose servers may lose their disks. */
  readonly setsClocks?: true
  readonly isDisaster?: true
  /** Never together with servers that lose their disks, since then no node might have the data. */
  readonly losesCopies?: true
  /** Begins the fault; returns the function that ends it, or undefined when it is not possible now. */
  begin(world: World, rng: Rng): { description: string; lastsMs: number; end: () => void } | undefined
}

const both: readonly EngineKind[] = ['embedded', 'cluster']
const clusterOnly: readonly EngineKind[] = ['cluster']
const hourMs = 3_600_000

/** A random node with a running process; one that owns shards, if required. */
function pickRunning({ nodes }: World, rng: Rng, keepsShards = false): SimNode | undefined {
  const fit = nodes.filter(
    (node) => node.incarnation() && !node.isRetired() && !node.incarnation()!.paused() && (node.disk || !keepsShards),
  )
  return fit.length > 0 ? rng.pick(fit) : undefined
}

/** Ends a process between two of its actions, and starts another one on its data. */
function crashFault(
  name: string,
  weight: number,
  engines: readonly EngineKind[],
  toDisk: (node: SimNode) => void,
): Fault {
  return {
    name,
    weight,
    engines,
    begin(world, rng) {
      const node = pickRunning(world, rng, name !== 'crash')
      if (!node) return undefined
      const reaches = rng.chance(0.5) ? 0 : rng.below(8)
      const incarnation = node.incarnation()!
      incarnation.ended(() => toDisk(node))
      node.crash(reaches)
      const end = () => {
        incarnation.end()
        node.start()
      }
      return { description: `${node.id} after ${reaches} more`, lastsMs: rng.between(10, 8_000), end }
    },
  }
}

/** Degrades one node for a while. */
function temporaryFault(
  name: string,
  weight: number,
  engines: readonly EngineKind[],
  longestMs: number,
  set: (node: SimNode, rng: Rng) => (() => void) | undefined,
  keepsShards = false,
): Fault {
  return {
    name,
    weight,
    engines,
    begin(world, rng) {
      const node = pickRunning(world, rng, keepsShards)
      const end = node && set(node, rng)
      return end && { description: node.id, lastsMs: rng.between(50, longestMs), end }
    },
  }
}

export const faults: readonly Fault[] = [
  crashFault('crash', 6, both, () => {}),
  { ...crashFault('power cut', 3, both, (node) => node.disk?.cutPower()), losesCopies: true },
  { ...crashFault('disk lost', 1, clusterOnly, (node) => node.disk?.replace()), losesCopies: true },
  temporaryFault('pause', 5, both, 10_000, (node) => {
    const incarnation = node.incarnation()!
    incarnation.pause()
    return () => incarnation.resume()
  }),
  {
    name: 'clean restart',
    weight: 4,
    engines: both,
    begin(world, rng) {
      const node = pickRunning(world, rng)
      if (!node) return undefined
      const stopped = node.stop(10_000)
      return {
        description: node.id,
        lastsMs: rng.between(100, 12_000),
        end: () => void stopped.then(() => node.start()),
      }
    },
  },
  {
    name: 'gone for good',
    weight: 1,
    engines: clusterOnly,
    losesCopies: true,
    begin(world, rng) {
      const node = pickRunning(world, rng)
      const others = world.nodes.filter((each) => each !== node && each.disk && !each.isRetired())
      if (!node || others.length === 0) return undefined
      node.stopForGood()
      if (rng.chance(0.5)) node.crash()
      else void node.stop(10_000)
      return { description: node.id, lastsMs: 0, end: () => {} }
    },
  },
  temporaryFault('cut off', 6, clusterOnly, 12_000, (node, rng) => {
    const directions = rng.pick([['toBus', 'toNode'], ['toBus'], ['toNode']] as const)
    node.link.cut({ directions, keeps: rng.chance(0.5) })
    return () => node.link.heal()
  }),
  temporaryFault('slow link', 2, clusterOnly, 8_000, (node, rng) => {
    node.link.slow(rng.pick([10, 50, 300]))
    return () => node.link.slow(1)
  }),
  temporaryFault('stragglers', 3, clusterOnly, 8_000, (node, rng) => {
    node.link.delaySome(rng.pick([0.02, 0.1, 0.3]))
    return () => node.link.delaySome(0)
  }),
  {
    name: 'bad wire',
    weight: 3,
    engines: clusterOnly,
    begin({ bus }, rng) {
      bus.rpc.trouble(rng.pick([0.05, 0.3]))
      const end = () => bus.rpc.trouble(0)
      return { description: '', lastsMs: rng.between(100, 10_000), end }
    },
  },
  {
    name: 'servers away',
    weight: 2,
    engines: clusterOnly,
    begin({ bus }, rng) {
      bus.servers.setUp(false)
      return { description: '', lastsMs: rng.between(50, 8_000), end: () => bus.servers.setUp(true) }
    },
  },
  {
    name: 'members forgotten',
    weight: 2,
    engines: clusterOnly,
    begin({ bus }) {
      bus.members.lose()
      return { description: '', lastsMs: 0, end: () => {} }
    },
  },
  temporaryFault(
    'slow disk',
    3,
    both,
    8_000,
    ({ disk }, rng) => {
      disk!.slow(rng.pick([5, 30, 200]))
      return () => disk!.slow(1)
    },
    true,
  ),
  temporaryFault(
    'full disk',
    2,
    both,
    5_000,
    ({ disk }) => {
      disk!.fill(true)
      return () => disk!.fill(false)
    },
    true,
  ),
  temporaryFault(
    'broken disk',
    2,
    both,
    5_000,
    (node) => {
      node.disk!.breakNext(true)
      return () => {
        node.disk!.breakNext(false)
        node.crash()
        node.start()
      }
    },
    true,
  ),
  {
    name: 'receiver away',
    weight: 2,
    engines: both,
    begin({ line }, rng) {
      line.setUp(false)
      return { description: '', lastsMs: rng.between(50, 6_000), end: () => line.setUp(true) }
    },
  },
  {
    name: 'bad line to the receiver',
    weight: 3,
    engines: both,
    begin({ line }, rng) {
      line.trouble(rng.pick([0.1, 0.4]))
      return { description: '', lastsMs: rng.between(50, 6_000), end: () => line.trouble(0) }
    },
  },
  {
    name: 'move by hand',
    weight: 2,
    engines: clusterOnly,
    begin(world, rng) {
      const clientTarget = rng.pick(world.targets().length > 0 ? world.targets() : [undefined])
      const target = pickRunning(world, rng, true)
      if (!clientTarget || !target) return undefined
      const shard = rng.below(world.plan.shards)
      const move = (to: string | undefined) =>
        clientTarget.incarnation.enter(
          () => void clientTarget.engine.move(shard, to).catch((error) => world.trace.note(`not moved: ${error}`)),
        )
      move(target.disk!.id())
      return {
        description: `shard ${shard} to ${target.id}`,
        lastsMs: rng.between(500, 8_000),
        end: () => move(undefined),
      }
    },
  },
  {
    name: 'servers lose their disks',
    weight: 8,
    engines: clusterOnly,
    isDisaster: true,
    begin({ bus, plan, history, writers }, rng) {
      history.forgive()
      bus.servers.setUp(false)
      for (let shard = 0; shard < plan.shards; shard++) {
        const log = bus.log(shard)
        if (rng.chance(0.4)) continue
        log.rollBack(rng.chance(0.3) ? 0 : Math.max(0, log.last() - rng.below(12)))
        writers.rolledBack(shard)
      }
      return { description: '', lastsMs: rng.between(50, 4_000), end: () => bus.servers.setUp(true) }
    },
  },
  {
    ...temporaryFault('clock set', 8, both, 6_000, ({ clock }, rng) => {
      clock.step(rng.pick([-hourMs, hourMs, -5_000, 5_000, 300]))
      return () => clock.setRight()
    }),
    setsClocks: true,
  },
]

/** Draws faults over the fault period; the returned function ends the active ones and begins no more. */
export function injectFaults(world: World): () => void {
  const { plan, timeline, trace } = world
  const rng = world.rng.fork('faults')
  const possible = faults.filter(({ engines, setsClocks, isDisaster, losesCopies }) => {
    if (!engines.includes(plan.engine) || (setsClocks && !plan.clockSteps)) return false
    return plan.disasters ? !losesCopies : !isDisaster
  })
  // Half of the worlds have only some kinds, so that those meet more often.
  const some = rng.chance(0.5) ? possible.filter(() => rng.chance(0.35)) : []
  const drawn = (some.length > 0 ? some : possible).flatMap((fault) => Array<Fault>(fault.weight).fill(fault))
  const lasting = new Set<() => void>()
  let over = false

  function inject(): void {
    if (over) return
    const fault = rng.pick(drawn)
    const begun = fault.begin(world, rng)
    if (!begun) return
    trace.note(`FAULT ${fault.name} ${begun.description} for ${begun.lastsMs.toFixed(0)} ms`)
    const endDisturbance = world.quiet.disturbed()
    const end = () => {
      if (!lasting.delete(end)) return
      endDisturbance()
      trace.note(`FAULT ${fault.name} ${begun.description} is over`)
      begun.end()
    }
    lasting.add(end)
    timeline.after(begun.lastsMs, end)
  }
  for (let count = 0; count < plan.faults; count++) timeline.after(rng.between(0, plan.troubleMs), inject)

  return () => {
    over = true
    for (const end of [...lasting]) end()
  }
}
