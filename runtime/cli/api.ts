/** The management API as commands call it: an answer, or a failure in a sentence that says what to do about it. */
import { commandLine as limits } from '../../core/limits.js'
import { commandLineVariables as variables } from '../config.js'
import { exitCodes, Failure } from './failure.js'

export interface Api {
  /** Where the node is, as people know it. */
  readonly url: string
  /** Paths are below the version: `/system/shards`. */
  get<T>(path: string): Promise<T>
  put<T>(path: string, body: unknown): Promise<T>
}

/** What a refusal of the management API says, as far as it is one. */
interface Problem {
  readonly code?: string
  readonly title?: string
  readonly detail?: string
}

export function openApi({ url, key }: { url: string; key: string }): Api {
  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, text } = await exchange(method, path, body)
    const read = parsed(text)
    if (status >= 200 && status < 300 && read !== undefined) return read as T
    throw failureOf(url, path, status, (read ?? {}) as Problem)
  }

  async function exchange(method: string, path: string, body: unknown): Promise<{ status: number; text: string }> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const signal = AbortSignal.timeout(limits.requestMs)
    try {
      // A redirect would carry the key to somebody else.
      const options = { method, headers, signal, redirect: 'manual', body: body && JSON.stringify(body) } as const
      const answer = await fetch(`${url}/v1${path}`, options as RequestInit)
      return { status: answer.status, text: await answer.text() }
    } catch (error) {
      throw unanswered(url, error as Error)
    }
  }

  return {
    url,
    get: (path) => call('GET', path),
    put: (path, body) => call('PUT', path, body),
  }
}

function parsed(text: string): object | undefined {
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === 'object' && read !== null ? read : undefined
  } catch {
    return undefined
  }
}

function unanswered(url: string, error: Error): Failure {
  if (error.name === 'TimeoutError') {
    return new Failure(`The node at ${url} did not answer within ${limits.requestMs / 1000} seconds.`)
  }
  const { code, message } = (error.cause ?? error) as { code?: string; message?: string }
  // The codes of the system are known to operators, those of the HTTP client are not.
  const why = code && !code.startsWith('UND_') ? code : message
  return new Failure(
    `Nobody answers at ${url} (${why}). Start the node, or say where it is with --url or ${variables.url}.`,
  )
}

function failureOf(url: string, path: string, status: number, { code, title, detail }: Problem): Failure {
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
    const about = status === 503 ? ` What it lacks is told at ${url}/readyz.` : ''
    return failed(`The node at ${url} could not do it: ${[title, detail].filter(Boolean).join('. ')}.${about}`)
  }
  return failed(`The node at ${url} refused: ${detail ?? title}${/[.!?]$/.test(detail ?? title) ? '' : '.'}`)
}
