/** Ports nobody listens on. One that was free a moment ago may be somebody's by now, so whoever takes it tries again. */
import { once } from 'node:events'
import { createServer } from 'node:net'

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  return port!
}

/** Held together until all are found, so that no two are the same. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(
    servers.map(async (server) => {
      server.close()
      await once(server, 'close')
    }),
  )
  return ports
}
