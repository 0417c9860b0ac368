/** The embedded engine: this process owns every shard, and a commit is one synced transaction of its store. */
import { invalid, type Refusal } from '../../core/errors.js'
import { combineAnswers } from './answers.js'
import type { Engine, Shards } from './contract.js'
import { MailboxFull, NotOwner } from './errors.js'
import { mergeLimits } from './limits.js'
import { createIsSkippable, createSendHandler, sendKind } from './messages.js'
import type { EmbeddedOptions } from './options.js'
import type { OwnedShard } from './ownedshard.js'
import { isShard, shardOf } from './placement.js'
import { unavailable } from './refusals.js'
import { createRegistry } from './registry.js'
import { openShard } from './shard.js'
import { createWatchers } from './watchers.js'

/** The shards of an embedded engine are lost only when the process stops. */
function refuseIfUnavailable(error: unknown): Refusal {
  if (error instanceof NotOwner || error instanceof MailboxFull) return unavailable
  throw error
}

/** The name of the only node. */
const nodeId = 'embedded'
const onlyOwnershipEpoch = 1
const onlyEpoch = 1

export function openEmbedded(options: EmbeddedOptions): Engine {
  const { store, handlers, newCommandId } = options
  const limits = mergeLimits(options.limits).shard
  const registry = createRegistry(handlers)
  const watchers = createWatchers(options.log)
  let stopped = false

  const shards: Shards = {
    execute(owner, command, input, { id, by, completes } = {}) {
      try {
        const request = {
          owner,
          command: registry.command(command.name),
          input,
          commandId: id ?? newCommandId(),
          answerTtlMs: id === undefined ? undefined : limits.rememberedCommandMs,
          by,
          completes,
        }
        return shardFor(owner).execute(request).catch(refuseIfUnavailable) as never
      } catch (error) {
        return Promise.reject(error)
      }
    },
    async query(owner, query, input) {
      return shardFor(owner).query(registry.query(query.name), input) as never
    },
    queryLocal(owner, query, input) {
      return stopped ? undefined : (shardFor(owner).queryNow(registry.query(query.name), input) as never)
    },
    async queryAll({ name }, input) {
      const query = registry.query(name)
      return combineAnswers(await Promise.all(ownedShards.map((each) => each.query(query, input)))) as never
    },
  }
  const sendHandler = createSendHandler({ ...options, limits, shards, registry })
  const effectHandlers = { ...handlers.effectHandlers(shards), [sendKind]: sendHandler }
  const isSkippable = createIsSkippable(shards)
  const ownedShards = Array.from({ length: options.shards }, (_, number): OwnedShard => {
    const space = store.space(number)
    const ownership = { isSkippable, commit: space.commitDeferred, isStillOwner: () => true, onCommit: watchers.notify }
    return openShard({ ...options, limits, number, space, registry, effectHandlers, ...ownership })
  })
  const shardFor = (owner: string) => ownedShards[shardOf(owner, options.shards)]!

  return {
    ...shards,
    watch: watchers.watch,
    ownershipEpoch: () => (stopped ? undefined : onlyOwnershipEpoch),
    async start() {
      for (const each of ownedShards) each.start()
    },
    async stop() {
      await Promise.all(ownedShards.map((each) => each.quiesce()))
      stopped = true
      await Promise.all(ownedShards.map((each) => each.close()))
    },
    inspect() {
      const statuses = ownedShards.map((each, shard) => ({
        shard,
        role: 'owner' as const,
        epoch: onlyEpoch,
        number: each.commits(),
        lagEntries: 0,
        ...each.load(),
      }))
      const failure = store.failure()?.message
      const nodes = [{ id: nodeId, keepsShards: failure === undefined, leaving: false, info: options.info ?? {} }]
      return { nodes, failure, shards: statuses }
    },
    async status() {
      return ownedShards.map((each, shard) => {
        const last = each.commits()
        return { shard, owner: nodeId, epoch: onlyEpoch, last, copies: { [nodeId]: last } }
      })
    },
    async move(shard, to) {
      if (!isShard(shard, options.shards)) return invalid('shard', 'there is no such shard')
      return to === undefined ? undefined : invalid('node', 'there is one process only, which owns every shard')
    },
  }
}
