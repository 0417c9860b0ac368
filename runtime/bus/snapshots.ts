/** Large objects as chunks in a stream, and a last message that names them: until it is there, the object is not. */
import { createHash, randomBytes } from 'node:crypto'
import { bus as limits } from '../../core/limits.js'
import { chunksOf, digestText } from './chunks.js'
import { BusUnreachable, type Snapshots } from './contract.js'
import { openForgetting } from './forgetting.js'
import { isRefused, refusals } from './jetstream.js'
import { openStream, type Stored, type StreamHost } from './stream.js'
import { chunkSubject, metaSubject, metaSubjects, objectWord, storeStream, storeSubjects } from './subject.js'

/** As the object store of NATS writes it; `nuid` is what the chunks' subject ends with. */
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

function metaOf({ body }: Stored): Meta {
  return JSON.parse(Buffer.from(body).toString()) as Meta
}

export function openNatsSnapshots(host: StreamHost, store: string): Snapshots {
  const stream = openStream(host, {
    name: storeStream(store),
    subjects: storeSubjects(store),
    storage: 'file',
    allow_rollup_hdrs: true,
  })
  const forgetRemovals = openForgetting(host, stream, metaSubjects(store), (stored) => metaOf(stored).deleted)

  async function find(name: string): Promise<{ meta: Meta; revision: number } | undefined> {
    await stream.made()
    const stored = await stream.get({ last_by_subj: metaSubject(store, name) })
    return stored && { meta: metaOf(stored), revision: stored.number }
  }

  /** Publishes chunks, some at a time; when it ends, well or not, none is on its way. */
  async function upload(subject: string, parts: AsyncIterable<Uint8Array>): Promise<Upload> {
    const chunkBytes = Math.min(limits.snapshotChunkBytes, host.link.server().payloadBytes - limits.headerBytes)
    const hash = createHash('sha256')
    const underWay = new Set<Promise<void>>()
    let [size, chunks] = [0, 0]
    let first: number | undefined
    let failure: unknown
    const send = async (chunk: Uint8Array) => {
      try {
        const number = await stream.publish(subject, chunk, undefined, limits.requestMs)
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
        const sent = send(chunk).finally(() => underWay.delete(sent))
        underWay.add(sent)
        if (underWay.size >= limits.snapshotChunksInFlight) await Promise.race(underWay)
      }
    } finally {
      await Promise.all(underWay)
    }
    if (failure) throw failure
    return { size, chunks, digest: digestText(hash), first }
  }

  /** Only if nobody has put or removed an object of that name meanwhile: the chunks of two must not mix. */
  async function publishMeta(meta: Meta, after: number): Promise<number> {
    const headers = { 'Nats-Rollup': 'sub', 'Nats-Expected-Last-Subject-Sequence': String(after) }
    return stream.publish(metaSubject(store, meta.name), Buffer.from(JSON.stringify(meta)), headers)
  }

  /** Forgets chunks before a number, those of a put that never ended included; without a number, all of them. */
  async function forget(filter: string, before?: number): Promise<void> {
    // Asked for those before the first, the servers would take them all.
    if (before !== undefined && before <= 1) return
    // The object is what it should be: what could not be cleaned up now goes with the next one.
    await stream.call('PURGE', { filter, seq: before }).catch(() => {})
  }

  const allChunks = (name: string) => chunkSubject(store, `${objectWord(name)}.>`)

  return {
    async put(name, parts) {
      const old = await find(name)
      const nuid = `${objectWord(name)}.${randomBytes(12).toString('hex')}`
      try {
        const { size, chunks, digest, first } = await upload(chunkSubject(store, nuid), parts)
        const mtime = new Date(host.clock.now()).toISOString()
        const meta = { name, bucket: store, nuid, size, chunks, digest, mtime, deleted: false }
        const revision = await publishMeta(meta, old?.revision ?? 0)
        await forget(allChunks(name), first ?? revision)
      } catch (error) {
        // A last message without an answer may have arrived: then these chunks are the object.
        const mayBeThere = error instanceof BusUnreachable && !isRefused(error, refusals.wrongSequence)
        if (!mayBeThere) await forget(chunkSubject(store, nuid))
        throw error
      }
    },

    async get(name) {
      const found = await find(name)
      return found && !found.meta.deleted ? chunksFrom(found.meta) : undefined
    },

    async remove(name) {
      const found = await find(name)
      if (found?.meta.deleted) return
      const mtime = new Date(host.clock.now()).toISOString()
      const nothing = { nuid: objectWord(name), size: 0, chunks: 0, digest: '' }
      const gone = { name, bucket: store, ...nothing, mtime, deleted: true }
      const number = await publishMeta(gone, found?.revision ?? 0)
      await forget(allChunks(name), number)
      await forgetRemovals(number)
    },
  }

  async function* chunksFrom(meta: Meta): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256')
    let number = 0
    for (let chunk = 0; chunk < meta.chunks; chunk++) {
      const stored = await stream.get({ seq: number + 1, next_by_subj: chunkSubject(store, meta.nuid) })
      if (!stored) throw new Error(`The object ${meta.name} was replaced while it was read.`)
      number = stored.number
      hash.update(stored.body)
      yield stored.body
    }
    if (digestText(hash) !== meta.digest) {
      throw new Error(`The object ${meta.name} is not what was put: its digest differs.`)
    }
  }
}
