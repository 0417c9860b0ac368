/** The reason why a port cannot be listened on, which uWebSockets.js does not report. */
import { createServer } from 'node:net'

/** The system's error code; undefined when the port is free. */
export function bindError(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'unknown'))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

/** A sentence for the operator who named the host and port. */
export async function explainBindError(host: string, port: number): Promise<string> {
  const code = await bindError(host, port)
  switch (code) {
    // Another process had the port and has closed it since.
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
      return `Nothing can listen on port ${port} of ${host} (${code}).`
  }
}
