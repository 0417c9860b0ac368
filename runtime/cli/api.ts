/** Client of the management API for the command line: an answer, or a Failure whose sentence says what to do. */
import { parseJson } from '../../core/json.js'
import { commandLine as limits } from '../../core/limits/index.js'
import { commandLineVariables as variables } from '../config/config.js'
import { exitCodes, Failure } from './failure.js'

/** Paths without the version prefix: `/system/shards`. */
export interface Api {
  /** The node's URL as the operator gave it. */
  readonly url: string
  get<T>(path: string): Promise<T>
  put<T>(path: string, body: unknown): Promise<T>
  /** `waitMs`: timeout of this call, if the default is too short. */
  post<T>(path: string, body?: unknown, waitMs?: number): Promise<T>
  remove(path: string): Promise<void>
  /** Calls with bodies that are not JSON. */
  raw(path: string, request: RawRequest): Promise<Response>
}

export interface RawRequest {
  readonly accept: string
  /** The request body; absent for a GET. */
  readonly body?: { readonly type: string; readonly text: string }
}

/** The fields of an error answer of the management API, if it is one. */
interface Problem {
  readonly code?: string
  readonly title?: string
  readonly detail?: string
  readonly errors?: readonly { readonly field: string; readonly message: string }[]
}

interface Call {
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly waitMs?: number
}

export function createApi({ url, key }: { url: string; key: string }): Api {
  async function call<T>(method: string, path: string, body?: unknown, waitMs?: number): Promise<T> {
    const { status, text } = await fetchText({
      ...{ method, path, headers: jsonHeaders, body: body === undefined ? undefined : JSON.stringify(body), waitMs },
    })
    const parsed = parseObject(text)
    if (status === 204) return undefined as T
    if (status >= 200 && status < 300 && parsed !== undefined) return parsed as T
    throw failureOf(url, path, status, (parsed ?? {}) as Problem)
  }

  async function fetchText(request: Call): Promise<{ status: number; text: string }> {
    try {
      const answer = await fetchNode(request, AbortSignal.timeout(request.waitMs ?? limits.requestMs))
      return { status: answer.status, text: await answer.text() }
    } catch (error) {
      throw noAnswerFailure(url, error as Error, request.waitMs)
    }
  }

  function fetchNode({ method, path, headers, body }: Call, signal: AbortSignal): Promise<Response> {
    // A redirect would send the key to another host.
    const options = {
      method,
      headers: { ...headers, authorization: `Bearer ${key}` },
      signal,
      redirect: 'manual',
      body,
    }
    return fetch(`${url}/v1${path}`, options as RequestInit)
  }

  return {
    url,
    get: (path) => call('GET', path),
    put: (path, body) => call('PUT', path, body),
    post: (path, body, waitMs) => call('POST', path, body, waitMs),
    remove: (path) => call('DELETE', path),
    async raw(path, { accept, body }) {
      const headers = { accept, ...(body && { 'content-type': body.type }) }
      const control = new AbortController()
      // The timeout covers the response head only: the time of the body depends on its size.
      const timer = setTimeout(() => control.abort(new DOMException('late', 'TimeoutError')), limits.requestMs)
      const method = body ? 'POST' : 'GET'
      const answer = await fetchNode({ method, path, headers, body: body?.text }, control.signal)
        .catch((error) => Promise.reject(noAnswerFailure(url, error as Error)))
        .finally(() => clearTimeout(timer))
      if (answer.ok) return answer
      throw failureOf(url, path, answer.status, (parseObject(await answer.text()) ?? {}) as Problem)
    },
  }
}

const jsonHeaders = { 'content-type': 'application/json' }

/** The status of a URL that needs no key; undefined if it does not answer. */
export async function probe(url: string): Promise<number | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(limits.probeMs), redirect: 'manual' })
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return undefined
  }
}

function parseObject(text: string): object | undefined {
  const parsed = parseJson(text)
  return typeof parsed === 'object' && parsed !== null ? parsed : undefined
}

function noAnswerFailure(url: string, error: Error, waitMs: number = limits.requestMs): Failure {
  if (error.name === 'TimeoutError') {
    return new Failure(`The node at ${url} did not answer within ${waitMs / 1000} seconds.`)
  }
  const { code, message } = (error.cause ?? error) as { code?: string; message?: string }
  // Operators know the system's error codes, but not those of the HTTP client.
  const why = code && !code.startsWith('UND_') ? code : message
  return new Failure(
    `Nobody answers at ${url} (${why}). Start the node, or say where it is with --url or ${variables.url}.`,
  )
}

function failureOf(url: string, path: string, status: number, { code, title, detail, errors }: Problem): Failure {
  const isOurs = code !== undefined && title !== undefined
  if (!isOurs) return new Failure(`What answers at ${url} (with ${status}) is not a management API of Parley.`)
  const failed = (sentence: string) => new Failure(sentence, exitCodes.failed, code)
  if (status === 401) {
    return failed(
      `The node at ${url} does not accept the key. It may be mistyped, revoked, expired, or of another place.`,
    )
  }
  if (status === 403 && path.startsWith('/system/')) {
    return failed('The key is not a system operator’s. The first key of the installation, its bootstrap key, is one.')
  }
  if (status >= 500) {
    const request = status === 503 ? ` ${url}/readyz says what is missing.` : ''
    return failed(`The node at ${url} could not do it: ${[title, detail].filter(Boolean).join('. ')}.${request}`)
  }
  if (code === 'resource.not_found' && detail === undefined)
    return failed(`There is nothing at ${path} on the node at ${url}.`)
  const fields = (errors ?? []).map(({ field, message }) => `${field}: ${message}`)
  const explanation = fields.length > 1 ? fields.join('; ') : (detail ?? title)
  return failed(`The node at ${url} refused: ${explanation}${/[.!?]$/.test(explanation) ? '' : '.'}`)
}
