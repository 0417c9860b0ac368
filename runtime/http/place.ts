/** Whether a listener could have a place, and why not: uWebSockets.js only says that it has none. */
import { createServer } from 'node:net'

/** The code of the system; undefined where it is free. */
export function whyNotFree(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'unknown'))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

/** A sentence for whoever named the place. */
export async function whyNoListener(host: string, port: number): Promise<string> {
  const why = await whyNotFree(host, port)
  switch (why) {
    // Whoever had it a moment ago has let go of it.
    case undefined:
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is taken. Stop what listens there, or name another port.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine. Name one of its own as PARLEY_HOST, or 0.0.0.0 for all of them.`
    case 'EACCES':
      return `This user may not listen on port ${port} of ${host}. Name another port, or give the user the right to.`
    default:
      return `Nothing can listen on port ${port} of ${host} (${why}).`
  }
}
