/** Requests without a socket: passed to a pipeline and answered as over the network. */
import { type Reply, type Serve, writeHeaders } from '../../runtime/http/exchange.js'

export interface Request {
  token?: string
  json?: unknown
  body?: string | Uint8Array
  headers?: Record<string, string>
}

export interface Response {
  status: number
  headers: Record<string, string>
  text: string
  /** The body as JSON; throws when it is not. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever shape it expects and fails if it is not there.
  json: any
}

export type Inject = (method: string, path: string, request?: Request) => Promise<Response>

export function injectInto(serve: Serve): Inject {
  return async (method, target, request = {}) => {
    const [path = '', query = ''] = target.split('?', 2)
    const body = request.json === undefined ? (request.body ?? '') : JSON.stringify(request.json)
    const bytes = Buffer.from(body as string)
    const sent: Record<string, string> = { 'content-length': String(bytes.length), ...request.headers }
    if (request.json !== undefined) sent['content-type'] ??= 'application/json'
    if (request.token) sent.authorization ??= `Bearer ${request.token}`
    const reply = await new Promise<Reply>((respond) =>
      serve({
        method,
        path,
        query,
        header: (name) => sent[name] ?? '',
        body: (limitBytes, to) => to.receive(bytes.length > limitBytes ? undefined : bytes),
        remoteAddress: () => '127.0.0.1',
        signal: new AbortController().signal,
        respond,
      }),
    )
    const headers: Record<string, string> = {}
    writeHeaders(reply, {
      writeHeader(name, value) {
        headers[name.toLowerCase()] = value
      },
    })
    const text = await textOf(reply.body)
    return {
      status: reply.status,
      headers,
      text,
      get json() {
        return JSON.parse(text)
      },
    }
  }
}

async function textOf(body: string | Uint8Array | AsyncIterable<string | Uint8Array> | undefined): Promise<string> {
  if (body === undefined || typeof body === 'string') return body ?? ''
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  let text = ''
  for await (const piece of body) text += typeof piece === 'string' ? piece : Buffer.from(piece).toString()
  return text
}
