/** Shards as they are when an owner is in another process: every input and every answer has been bytes on the way. */
import { isDeepStrictEqual } from 'node:util'
import type { Shards } from '../../runtime/shard/contract.js'
import { decodePlain, encodePlain } from '../../runtime/store/codec.js'

export function carried<S extends Shards>(shards: S): S {
  const between: Shards = {
    ask: async (owner, command, input, options) =>
      carry(await shards.ask(owner, command, carry(input, command.name), carry(options, command.name)), command.name),
    read: async (owner, query, input) => carry(await shards.read(owner, query, carry(input, query.name)), query.name),
    readHere(owner, query, input) {
      const answer = shards.readHere?.(owner, query, carry(input, query.name))
      return answer === undefined ? undefined : carry(answer, query.name)
    },
    readAll: async (query, input) => carry(await shards.readAll(query, carry(input, query.name)), query.name),
  }
  return { ...shards, ...between }
}

/** Throws for what does not arrive as it left, which a caller meets as a failure of the node. */
function carry<T>(value: T, name: string): T {
  const arrived = decodePlain(encodePlain(value)) as T
  // A clone tells bytes as bytes, whether they were a Buffer before or not.
  if (isDeepStrictEqual(structuredClone(value), structuredClone(arrived))) return arrived
  throw new Error(`${name}: something that cannot travel was asked or answered`)
}
