/** Reads response bodies within bounds: a limit on the bytes as sent and on the bytes once decompressed. */
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { egress } from '../../core/limits/index.js'
import type { FailureReason } from './reason.js'

type Answer = Dispatcher.ResponseData

/** The whole decompressed body, or the reason why it is not read. */
export async function readBody({ headers, body }: Answer, maxBytes: number): Promise<Buffer | FailureReason> {
  const encoded = await readBounded(body, maxBytes)
  return encoded ? decode(encoded, headers['content-encoding'], maxBytes) : 'too-large'
}

/** Undefined beyond `maxBytes`: leaving the loop closes the connection, and the rest is never read. */
async function readBounded(body: Answer['body'], maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

type Unpack = (encoded: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const unpackers: Readonly<Record<string, Unpack>> = {
  gzip: promisify(gunzip) as Unpack,
  'x-gzip': promisify(gunzip) as Unpack,
  deflate: promisify(inflate) as Unpack,
  br: promisify(brotliDecompress) as Unpack,
}

/** Undoes at most one content coding, within the limit: a few compressed bytes can expand into gigabytes. */
export async function decode(
  encoded: Buffer,
  coding: string | string[] | undefined,
  maxBytes: number,
): Promise<Buffer | FailureReason> {
  const name = String(coding ?? '')
    .trim()
    .toLowerCase()
  if (name === '' || name === 'identity') return encoded
  if (!Object.hasOwn(unpackers, name)) return 'bad-answer'
  try {
    return await unpackers[name]!(encoded, { maxOutputLength: maxBytes })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'bad-answer'
  }
}

/** Reads a short rest so that the connection can be reused; destroys a long, slow or endless one. */
export function drain(body: Answer['body']): void {
  const timer = setTimeout(() => body.destroy(), egress.drainMs)
  body.on('error', () => {})
  const done = () => clearTimeout(timer)
  body.dump({ limit: egress.drainBytes }).then(done, done)
}
