/**
 * Ports nobody listens on, from below those that the system gives to connections by itself. One that is let go of, until its
 * server has it, is then taken by nobody but a process that draws the same: each begins with a block of its own.
 */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

const lowest = 10_000
const beyond = 30_000
const blockPorts = 40
const ownBlock = lowest + (process.pid % ((beyond - lowest) / blockPorts)) * blockPorts
let drawn = 0

/** Those of the block one by one, and any other once all of them were drawn. */
function nextPort(): number {
  return drawn < blockPorts ? ownBlock + drawn++ : randomInt(lowest, beyond)
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  return port!
}

/** Held together until all are found, so that no two are the same. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listening))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(
    servers.map(async (server) => {
      server.close()
      await once(server, 'close')
    }),
  )
  return ports
}

async function listening(): Promise<Server> {
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
