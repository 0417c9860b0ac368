/** Reads a remote answer no further than it may go: so many bytes, and no more once unpacked. */
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { egress } from '../../core/limits.js'
import type { FailureReason } from './reason.js'

type Answer = Dispatcher.ResponseData

/** The whole body, unpacked, or the reason why it is not read. */
export async function readWhole({ headers, body }: Answer, mostBytes: number): Promise<Buffer | FailureReason> {
  const sent = await readWithin(body, mostBytes)
  return sent ? unpacked(sent, headers['content-encoding'], mostBytes) : 'too-large'
}

/** Undefined when there is more than that: leaving the loop cuts the connection, and the rest is never read. */
async function readWithin(body: Answer['body'], mostBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

type Unpack = (sent: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const unpackers: Readonly<Record<string, Unpack>> = {
  gzip: promisify(gunzip) as Unpack,
  'x-gzip': promisify(gunzip) as Unpack,
  deflate: promisify(inflate) as Unpack,
  br: promisify(brotliDecompress) as Unpack,
}

/** Undoes at most one coding, and no further than the limit: a few bytes can be written to unfold into gigabytes. */
async function unpacked(
  sent: Buffer,
  coding: string | string[] | undefined,
  mostBytes: number,
): Promise<Buffer | FailureReason> {
  const name = String(coding ?? '')
    .trim()
    .toLowerCase()
  if (name === '' || name === 'identity') return sent
  if (!Object.hasOwn(unpackers, name)) return 'bad-answer'
  try {
    return await unpackers[name]!(sent, { maxOutputLength: mostBytes })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'bad-answer'
  }
}

/** A short rest is read away so that the connection can serve again; a long, slow or endless one is cut. */
export function drain(body: Answer['body']): void {
  const cut = setTimeout(() => body.destroy(), egress.drainMs)
  body.on('error', () => {})
  const done = () => clearTimeout(cut)
  body.dump({ limit: egress.drainBytes }).then(done, done)
}
