/**
 * Free ports below the system's ephemeral range. Until a test's server binds a port, only a process that draws the same
 * number can take it; each process begins with a block of its own.
 */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

const lowest = 10_000
const beyond = 30_000
const blockPorts = 40
const ownBlock = lowest + (process.pid % ((beyond - lowest) / blockPorts)) * blockPorts
let drawn = 0

/** The ports of the block in turn, and any other after all of them were used. */
function nextPort(): number {
  return drawn < blockPorts ? ownBlock + drawn++ : randomInt(lowest, beyond)
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  return port!
}

/** Bound together until all are found, so that no two are the same. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listenOnFreePort))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(
    servers.map(async (server) => {
      server.close()
      await once(server, 'close')
    }),
  )
  return ports
}

async function listenOnFreePort(): Promise<Server> {
  for (;;) {
    const server = createServer().listen(nextPort(), '127.0.0.1')
    try {
      await once(server, 'listening')
      return server
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}
