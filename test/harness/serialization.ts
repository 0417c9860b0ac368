/** Shards as if each owner were in another process: every input and every answer is serialized. */
import { isDeepStrictEqual } from 'node:util'
import type { Shards } from '../../runtime/shard/contract.js'
import { decodePlain, encodePlain } from '../../runtime/store/codec.js'

export function withSerialization<S extends Shards>(shards: S): S {
  const serialized: Shards = {
    execute: async (owner, command, input, options) =>
      roundTrip(
        await shards.execute(owner, command, roundTrip(input, command.name), roundTrip(options, command.name)),
        command.name,
      ),
    query: async (owner, query, input) =>
      roundTrip(await shards.query(owner, query, roundTrip(input, query.name)), query.name),
    queryLocal(owner, query, input) {
      const answer = shards.queryLocal?.(owner, query, roundTrip(input, query.name))
      return answer === undefined ? undefined : roundTrip(answer, query.name)
    },
    queryAll: async (query, input) => roundTrip(await shards.queryAll(query, roundTrip(input, query.name)), query.name),
  }
  return { ...shards, ...serialized }
}

/** Throws for a value that serialization changes; the caller sees a failure of the node. */
function roundTrip<T>(value: T, name: string): T {
  const decoded = decodePlain(encodePlain(value)) as T
  // A clone has plain bytes, whether they were a Buffer or not.
  if (isDeepStrictEqual(structuredClone(value), structuredClone(decoded))) return decoded
  throw new Error(`${name}: something that cannot travel was asked or answered`)
}
