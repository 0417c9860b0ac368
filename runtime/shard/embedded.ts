/** The embedded engine: this process owns every shard, and a commit is one synced transaction of its store. */
import { invalid, type Refusal } from '../../core/errors.js'
import { shard as limits } from '../../core/limits.js'
import type { Engine, Shards } from './contract.js'
import { Full, Moved } from './lost.js'
import type { EmbeddedOptions } from './options.js'
import { isShard, shardOf } from './place.js'
import { together } from './readall.js'
import { openRegistry } from './registry.js'
import { type OwnedShard, openShard } from './shard.js'
import { idleHere, tellKind, tellPerformer } from './tell.js'
import { unavailable } from './unavailable.js'
import { openWatchers } from './watchers.js'

/** A shard that was here all the time has only gone away because the process is stopping. */
function refuseIfShut(error: unknown): Refusal {
  if (error instanceof Moved || error instanceof Full) return unavailable
  throw error
}

/** The name of the only node there is. */
const here = 'embedded'
const onlyTenure = 1
const onlyEpoch = 1

export function openEmbedded(options: EmbeddedOptions): Engine {
  const { store, repertoire, newCommandId } = options
  const registry = openRegistry(repertoire)
  const watchers = openWatchers(options.log)
  let stopped = false

  const shards: Shards = {
    ask(owner, command, input, { id, by, settles } = {}) {
      try {
        const asked = {
          owner,
          command: registry.command(command.name),
          input,
          commandId: id ?? newCommandId(),
          rememberMs: id === undefined ? undefined : limits.rememberedCommandMs,
          by,
          settles,
        }
        return shardOwning(owner).ask(asked).catch(refuseIfShut) as never
      } catch (error) {
        return Promise.reject(error)
      }
    },
    async read(owner, query, input) {
      return shardOwning(owner).read(registry.query(query.name), input) as never
    },
    readHere(owner, query, input) {
      return stopped ? undefined : (shardOwning(owner).readNow(registry.query(query.name), input) as never)
    },
    async readAll({ name }, input) {
      const query = registry.query(name)
      return together(await Promise.all(owned.map((each) => each.read(query, input)))) as never
    },
  }
  const tell = tellPerformer({ ...options, shards, registry })
  const performers = { ...repertoire.performers(shards), [tellKind]: tell }
  const isIdle = idleHere(shards)
  const owned = Array.from({ length: options.shards }, (_, number): OwnedShard => {
    const space = store.space(number)
    const ways = { isIdle, commit: space.commitDeferred, isOurs: () => true, changed: watchers.tell }
    return openShard({ ...options, number, space, registry, performers, ...ways })
  })
  const shardOwning = (owner: string) => owned[shardOf(owner, options.shards)]!

  return {
    ...shards,
    watch: watchers.watch,
    tenure: () => (stopped ? undefined : onlyTenure),
    async start() {
      for (const each of owned) each.start()
    },
    async stop() {
      await Promise.all(owned.map((each) => each.rest()))
      stopped = true
      await Promise.all(owned.map((each) => each.close()))
    },
    inspect() {
      const every = owned.map((each, shard) => ({
        shard,
        part: 'owner' as const,
        epoch: onlyEpoch,
        number: each.commits(),
        behind: 0,
        ...each.load(),
      }))
      const trouble = store.failure()?.message
      const nodes = [{ id: here, keepsShards: trouble === undefined, leaving: false, about: options.about ?? {} }]
      return { nodes, trouble, shards: every }
    },
    async status() {
      return owned.map((each, shard) => {
        const last = each.commits()
        return { shard, owner: here, epoch: onlyEpoch, last, copies: { [here]: last } }
      })
    },
    async move(shard, to) {
      if (!isShard(shard, options.shards)) return invalid('shard', 'there is no such shard')
      return to === undefined ? undefined : invalid('node', 'there is one process only, which owns every shard')
    },
  }
}
