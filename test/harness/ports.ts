/**
 * Ports nobody listens on, from below those that the system gives to connections by itself: one that is let go of for a
 * moment is then taken by nobody but a test that draws the same.
 */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

const lowest = 10_000
const beyond = 30_000

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
    const server = createServer().listen(randomInt(lowest, beyond), '127.0.0.1')
    try {
      await once(server, 'listening')
      return server
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}
