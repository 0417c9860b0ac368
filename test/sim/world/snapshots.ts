/** Large objects on the servers; a node that is cut off while reading one gets an error. */
import { BusUnreachable, type ObjectStore } from '../../../runtime/nats/contract.js'
import type { Connection, Servers } from './servers.js'

export interface ServerSnapshots {
  of(connection: Connection): ObjectStore
  names(): readonly string[]
}

export function createServerSnapshots(servers: Servers): ServerSnapshots {
  const objects = new Map<string, readonly Buffer[]>()
  return {
    names: () => [...objects.keys()],
    of: (connection) => ({
      async put(name, parts) {
        const collected: Buffer[] = []
        for await (const part of parts) {
          collected.push(Buffer.from(part))
          await servers.request(connection, () => {})
        }
        await servers.request(connection, () => void objects.set(name, collected))
      },
      async get(name) {
        const parts = await servers.request(connection, () => objects.get(name))
        return parts && arrivingParts(connection, parts)
      },
      remove: (name) => servers.request(connection, () => void objects.delete(name)),
    }),
  }

  async function* arrivingParts(connection: Connection, parts: readonly Buffer[]): AsyncGenerator<Uint8Array> {
    for (const part of parts) {
      await servers.request(connection, () => {})
      if (connection.link.isKnownDown()) throw new BusUnreachable('The simulated object broke off.')
      yield Buffer.from(part)
    }
  }
}
