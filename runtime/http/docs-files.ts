/** Static files of pages, cached plain and compressed, and answered as the client's headers allow. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { isKnownTag } from './etag.js'
import type { Answer } from './route.js'

/** The request headers that `answerFile` reads; a route that serves a file declares them. */
export const fileHeaders = ['accept-encoding', 'if-none-match'] as const

export interface DocsFile {
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
  /** Loads and compresses the content with the first call, and caches it. */
  readonly content: () => Promise<Content>
}

interface Content {
  readonly plain: Uint8Array
  readonly compressed: Uint8Array
  readonly tag: string
}

const compress = promisify(gzip)

export function docsFile(
  type: string,
  headers: Readonly<Record<string, string>>,
  load: () => string | Uint8Array | Promise<Uint8Array>,
): DocsFile {
  let cached: Promise<Content> | undefined
  async function compressed(): Promise<Content> {
    const plain = Buffer.from(await load())
    return { plain, compressed: await compress(plain, { level: constants.Z_BEST_COMPRESSION }), tag: hashOf(plain) }
  }
  return {
    type,
    headers,
    content: () => {
      cached ??= compressed().catch((error) => {
        cached = undefined
        throw error
      })
      return cached
    },
  }
}

export async function answerFile(file: DocsFile, header: (name: string) => string): Promise<Answer> {
  const { plain, compressed, tag } = await file.content()
  const isCompressed = acceptsGzip(header('accept-encoding'))
  // The two encodings differ in their bytes, so each has its own strong tag.
  const etag = isCompressed ? `"${tag}-gzip"` : `"${tag}"`
  const headers = { ...file.headers, etag, vary: 'accept-encoding' }
  if (isKnownTag(header('if-none-match'), etag)) return { status: 304, headers }
  if (!isCompressed) return { status: 200, type: file.type, body: plain, headers }
  return { status: 200, type: file.type, body: compressed, headers: { ...headers, 'content-encoding': 'gzip' } }
}

/** `gzip;q=0` excludes gzip, and `*` stands for gzip only when the header does not name it. */
export function acceptsGzip(accepted: string): boolean {
  const weights = new Map<string, number>()
  for (const part of accepted.toLowerCase().split(',')) {
    const [coding, ...settings] = part.split(';').map((piece) => piece.trim())
    const weight = settings.find((setting) => setting.startsWith('q='))
    weights.set(coding!, weight ? Number(weight.slice(2)) : 1)
  }
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0
}

export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
}
