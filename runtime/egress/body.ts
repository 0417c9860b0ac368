/** Reads a remote answer no further than it may go: so many bytes, and no more once unpacked. */
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { egress } from '../../core/limits/index.js'
import type { FailureReason } from './reason.js'

type Answer = Dispatcher.ResponseData

/** The whole body, unpacked, or the reason why it is not read. */
export async function readBody({ headers, body }: Answer, maxBytes: number): Promise<Buffer | FailureReason> {
  const encoded = await readBounded(body, maxBytes)
  return encoded ? decode(encoded, headers['content-encoding'], maxBytes) : 'too-large'
}

/** Undefined when there is more than that: leaving the loop cuts the connection, and the rest is never read. */
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

/** Undoes at most one coding, and no further than the limit: a few bytes can be written to unfold into gigabytes. */
async function decode(
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

/** A short rest is read away so that the connection can serve again; a long, slow or endless one is cut. */
export function drain(body: Answer['body']): void {
  const timer = setTimeout(() => body.destroy(), egress.drainMs)
  body.on('error', () => {})
  const done = () => clearTimeout(timer)
  body.dump({ limit: egress.drainBytes }).then(done, done)
}
