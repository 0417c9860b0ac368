/**
 * Large objects as chunks in a stream, and a last message that names them, in the layout of the library's object store.
 * The library is not used: when the answer to the last message is lost it deletes the chunks of an object that may be
 * complete, it cannot find the chunks of an interrupted put, its readers buffer whole objects, and a reader whose
 * object is replaced meanwhile waits for ever.
 */
import { createHash, randomBytes } from 'node:crypto'
import { JsHeaders } from '@nats-io/jetstream'
import { headers as createHeaders } from '@nats-io/transport-node'
import { chunksOf, digestText } from './chunks.js'
import { BusUnreachable, type ObjectStore } from './contract.js'
import { isRefused, refusals } from './errors.js'
import { bus as limits } from './limits.js'
import { publishTo, readMessage, type StoredMessage } from './messages.js'
import { createStream, type StreamContext } from './stream.js'
import { chunkSubject, metaSubject, metaSubjects, objectWord, storeStream, storeSubjects } from './subjects.js'
import { createTombstones } from './tombstones.js'

/** In the format of the NATS object store; `nuid` is the last word of the chunks' subject. */
interface Meta {
  readonly name: string
  readonly bucket: string
  readonly nuid: string
  readonly size: number
  readonly chunks: number
  readonly digest: string
  readonly mtime: string
  readonly deleted: boolean
}

interface Upload {
  readonly size: number
  readonly chunks: number
  readonly digest: string
  /** The number of its first chunk: all chunks of older objects come before it. */
  readonly first?: number
}

function metaOf({ data }: StoredMessage): Meta {
  return JSON.parse(Buffer.from(data).toString()) as Meta
}

export function createObjectStore(context: StreamContext, store: string): ObjectStore {
  const { connection, clock } = context
  const stream = createStream(context, {
    name: storeStream(store),
    subjects: storeSubjects(store),
    storage: 'file',
    allow_rollup_hdrs: true,
  })
  const deleteOldMarkers = createTombstones(context, stream, metaSubjects(store), (stored) => metaOf(stored).deleted)

  async function findMeta(name: string): Promise<{ meta: Meta; revision: number } | undefined> {
    await stream.ensure()
    const stored = await readMessage(stream, { last_by_subj: metaSubject(store, name) })
    return stored ? { meta: metaOf(stored), revision: stored.seq } : undefined
  }

  /** Publishes chunks, some at a time; when it settles, none is in transit. */
  async function upload(subject: string, parts: AsyncIterable<Uint8Array>): Promise<Upload> {
    const chunkBytes = Math.min(limits.objectChunkBytes, connection.server().payloadBytes - limits.headerBytes)
    const hash = createHash('sha256')
    const inFlight = new Set<Promise<void>>()
    let [size, chunks] = [0, 0]
    let first: number | undefined
    let failure: unknown
    const send = async (chunk: Uint8Array) => {
      try {
        const number = await publishTo(stream, subject, chunk, { timeout: limits.requestMs })
        first = Math.min(first ?? number, number)
      } catch (error) {
        failure ??= error
      }
    }
    try {
      for await (const chunk of chunksOf(parts, chunkBytes)) {
        if (failure) break
        hash.update(chunk)
        size += chunk.length
        chunks++
        const sent = send(chunk).finally(() => inFlight.delete(sent))
        inFlight.add(sent)
        if (inFlight.size >= limits.objectChunksInFlight) await Promise.race(inFlight)
      }
    } finally {
      await Promise.all(inFlight)
    }
    if (failure) throw failure
    return { size, chunks, digest: digestText(hash), first }
  }

  /** Only if no object of that name was put or removed meanwhile: the chunks of two puts must not mix. */
  async function publishMeta(meta: Meta, lastSubjectSequence: number): Promise<number> {
    const headers = createHeaders()
    headers.set(JsHeaders.RollupHdr, JsHeaders.RollupValueSubject)
    const body = Buffer.from(JSON.stringify(meta))
    return publishTo(stream, metaSubject(store, meta.name), body, { headers, expect: { lastSubjectSequence } })
  }

  /** Deletes chunks before a number, those of interrupted puts included; without a number, all of them. */
  async function deleteChunks(filter: string, before?: number): Promise<void> {
    // The servers would take a purge before the first chunk as a purge of all.
    if (before !== undefined && before <= 1) return
    const chunks = before === undefined ? { filter } : { filter, seq: before }
    // The object is complete already: chunks that cannot be deleted now are deleted with the next put.
    await stream.request(({ manager }) => manager.streams.purge(stream.name, chunks)).catch(() => {})
  }

  const allChunks = (name: string) => chunkSubject(store, `${objectWord(name)}.>`)

  return {
    async put(name, parts) {
      const existing = await findMeta(name)
      const nuid = `${objectWord(name)}.${randomBytes(12).toString('hex')}`
      try {
        const { size, chunks, digest, first } = await upload(chunkSubject(store, nuid), parts)
        const mtime = new Date(clock.now()).toISOString()
        const meta = { name, bucket: store, nuid, size, chunks, digest, mtime, deleted: false }
        const revision = await publishMeta(meta, existing?.revision ?? 0)
        await deleteChunks(allChunks(name), first ?? revision)
      } catch (error) {
        // A last message without an answer may have been stored: then these chunks are the object.
        const mayExist = error instanceof BusUnreachable && !isRefused(error, refusals.wrongSequence)
        if (!mayExist) await deleteChunks(chunkSubject(store, nuid))
        throw error
      }
    },

    async get(name) {
      const existing = await findMeta(name)
      return existing && !existing.meta.deleted ? chunksFrom(existing.meta) : undefined
    },

    async remove(name) {
      const existing = await findMeta(name)
      if (existing?.meta.deleted) return
      const mtime = new Date(clock.now()).toISOString()
      const emptyMeta = { nuid: objectWord(name), size: 0, chunks: 0, digest: '' }
      const marker = { name, bucket: store, ...emptyMeta, mtime, deleted: true }
      const revision = await publishMeta(marker, existing?.revision ?? 0)
      await deleteChunks(allChunks(name), revision)
      await deleteOldMarkers()
    },
  }

  async function* chunksFrom(meta: Meta): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256')
    let number = 0
    for (let chunk = 0; chunk < meta.chunks; chunk++) {
      const stored = await readMessage(stream, { seq: number + 1, next_by_subj: chunkSubject(store, meta.nuid) })
      if (!stored) throw new Error(`The object ${meta.name} was replaced while it was read.`)
      number = stored.seq
      hash.update(stored.data)
      yield stored.data
    }
    if (digestText(hash) !== meta.digest) {
      throw new Error(`The object ${meta.name} is not what was put: its digest differs.`)
    }
  }
}
