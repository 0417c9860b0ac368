/** Client of the installation's language model: an OpenAI-compatible chat endpoint, asked for JSON within limits. */
import type { ModelMessage } from '../../core/agent/flows/prompt.js'
import { languageModel as defaults } from '../../core/limits/index.js'
import { openPoster } from '../egress/post.js'
import { readJson } from '../http/json.js'

export interface Usage {
  readonly input: number
  readonly output: number
}

export type Completion =
  | { readonly ok: true; readonly content: string; readonly usage: Usage }
  /** One sentence without the key and without any text of the endpoint. */
  | { readonly ok: false; readonly message: string }

export interface Model {
  readonly name: string
  /** Never throws. */
  complete(request: {
    readonly model: string
    readonly messages: readonly ModelMessage[]
    readonly signal: AbortSignal
  }): Promise<Completion>
  close(): Promise<void>
}

export interface ModelOptions {
  /** The URL of the endpoint, or its base URL above `/chat/completions`. */
  readonly url: string
  readonly key?: string
  readonly name?: string
  readonly limits?: Partial<Pick<typeof defaults, 'answerBytes' | 'totalMs' | 'headersMs' | 'connectMs'>>
}

/** The model name for servers with a single model, which ignore it. */
const anyModel = 'default'

export function openModelClient({ url, key, name = anyModel, limits: overrides }: ModelOptions): Model {
  const limits = { ...defaults, ...overrides }
  // The operator configures the URL, which may be a local address; API callers cannot influence it.
  const poster = openPoster({ allowPrivate: true, limits })
  const endpoint = endpointOf(url)
  const headers = { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'Parley-Model/1' }
  return {
    name,
    async complete({ model, messages, signal }) {
      const response = await poster.post({
        url: endpoint,
        headers: key === undefined ? headers : { ...headers, authorization: `Bearer ${key}` },
        body: Buffer.from(JSON.stringify(requestBodyOf(model, messages, limits.answerTokens))),
        signal,
      })
      if (!response.ok) return failed(`The language model gave no answer. ${response.message}`)
      if (response.status !== 200) return failed(`The language model answered with status ${response.status}.`)
      return completionOf(response.body) ?? failed('The language model did not answer as a chat endpoint does.')
    },
    close: poster.close,
  }
}

/** The shape of the request does not depend on the messages. */
function requestBodyOf(model: string, messages: readonly ModelMessage[], answerTokens: number) {
  return {
    model,
    messages: messages.map(({ role, content }) => ({ role, content })),
    response_format: { type: 'json_object' },
    temperature: 0,
    max_tokens: answerTokens,
  }
}

function failed(message: string): Completion {
  return { ok: false, message }
}

function endpointOf(url: string): string {
  const parsed = new URL(url)
  const path = parsed.pathname.replace(/\/+$/, '')
  parsed.pathname = path.endsWith('/chat/completions') ? path : `${path}/chat/completions`
  parsed.hash = ''
  return parsed.href
}

function completionOf(body: Buffer): Completion | undefined {
  const read = readJson(body)
  if ('problem' in read) return undefined
  const { choices, usage } = (read.value ?? {}) as { choices?: unknown; usage?: Record<string, unknown> }
  const [first] = Array.isArray(choices) ? (choices as { message?: { content?: unknown } }[]) : []
  const content = first?.message?.content
  if (typeof content !== 'string') return undefined
  return { ok: true, content, usage: { input: count(usage?.prompt_tokens), output: count(usage?.completion_tokens) } }
}

function count(tokens: unknown): number {
  return Number.isSafeInteger(tokens) && (tokens as number) >= 0 ? (tokens as number) : 0
}
