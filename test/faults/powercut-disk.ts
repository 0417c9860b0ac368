/**
 * The possible contents of a disk after a power cut. Synced blocks are there. Each unsynced block may have reached the
 * disk or not, in any order, and of several writes to one block any may be the last that did.
 */
import type { Entry } from './powercut-log.js'

const blockBytes = 4_096
/** The unit that a disk never tears. */
const sectorBytes = 512

/** A number from 0 up to but not including `below`. */
export type Draw = (below: number) => number

interface Version {
  readonly sequence: number
  /** Offset within its block. */
  readonly at: number
  readonly bytes: Buffer
}

/** Growable bytes; those beyond `size` are undefined. */
interface Content {
  bytes: Buffer
  size: number
}

interface File {
  readonly durable: Content
  /** Unsynced writes, oldest first, by block number. */
  readonly pending: Map<number, Version[]>
  /** Unsynced sizes that a call set rather than a write. */
  sizes: { readonly sequence: number; readonly size: number }[]
}

type Naming = (names: Map<string, File>) => void

export interface Disk {
  /** Applies the next entry of the log. */
  follow(entry: Entry): void
  /** The acknowledgements so far, one per line. */
  acks(): readonly string[]
  /**
   * The files, by path, as a power cut now might leave them. Does not change the disk: a later cut may leave others.
   */
  image(draw: Draw): Map<string, Buffer>
  /** The number of blocks with an undecided fate. */
  unsynced(): number
}

export function emptyDisk(): Disk {
  const acks: string[] = []
  /** The files as the running process sees them, and as a cut would leave them. */
  const names = new Map<string, File>()
  const durableNames = new Map<string, File>()
  const namings: Naming[] = []
  let numbered = new Map<number, File>()
  let sequence = 0

  function name(naming: Naming): void {
    naming(names)
    namings.push(naming)
  }

  function open(entry: Entry): void {
    const path = entry.bytes.toString()
    const existing = names.get(path)
    const file = existing ?? { durable: { bytes: Buffer.alloc(0), size: 0 }, pending: new Map(), sizes: [] }
    if (!existing) name((all) => void all.set(path, file))
    numbered.set(entry.file, file)
  }

  function rename(entry: Entry): void {
    const [from, to] = entry.bytes.toString().split('\0') as [string, string]
    const file = names.get(from)!
    name((all) => {
      all.delete(from)
      all.set(to, file)
    })
  }

  const steps: Record<Entry['kind'], (entry: Entry, file: File) => void> = {
    S: () => {
      numbered = new Map()
      sequence = -1
    },
    C: open,
    W: ({ offset, bytes }, file) => addWrite(file, sequence, offset, bytes),
    T: ({ offset }, file) => file.sizes.push({ sequence, size: offset }),
    B: () => undefined,
    E: ({ offset: began }, file) => syncAll(file, began),
    P: ({ offset: write }, file) => syncWritten(file, write),
    R: rename,
    U: ({ bytes }) => name((all) => void all.delete(bytes.toString())),
    Y: () => {
      for (const naming of namings.splice(0)) naming(durableNames)
    },
    A: ({ bytes }) => acks.push(...bytes.toString().split('\n').filter(Boolean)),
    X: ({ bytes }) => {
      throw new Error(`the program changed a file in a way that the log does not hold: ${bytes}`)
    },
  }

  return {
    follow(entry) {
      steps[entry.kind](entry, numbered.get(entry.file)!)
      sequence++
      if (entry.kind === 'S') for (const file of names.values()) forgetPlaces(file)
    },
    acks: () => acks,
    image(draw) {
      const filesByName = new Map(durableNames)
      // File systems preserve the order of names, though not of contents.
      for (const naming of namings.slice(0, draw(namings.length + 1))) naming(filesByName)
      return new Map(Array.from(filesByName, ([path, file]) => [path, contentOf(file, draw)]))
    },
    unsynced: () => [...names.values()].reduce((sum, file) => sum + file.pending.size, 0),
  }
}

/** File numbers begin again in each process, after all writes of the earlier one. */
function forgetPlaces(file: File): void {
  for (const [block, versions] of file.pending) {
    file.pending.set(
      block,
      versions.map((version) => ({ ...version, sequence: -1 })),
    )
  }
  file.sizes = file.sizes.map(({ size }) => ({ sequence: -1, size }))
}

function addWrite(file: File, sequence: number, offset: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) {
    const block = Math.floor((offset + done) / blockBytes)
    const at = offset + done - block * blockBytes
    const some = bytes.subarray(done, done + blockBytes - at)
    const versions = file.pending.get(block) ?? []
    versions.push({ sequence, at, bytes: some })
    file.pending.set(block, versions)
    done += some.length
  }
}

/** Applies to everything written before the sync began. */
function syncAll(file: File, began: number): void {
  for (const block of [...file.pending.keys()]) syncBlock(file, block, began - 1)
  for (const { size } of file.sizes.filter((one) => one.sequence < began)) resize(file.durable, size)
  file.sizes = file.sizes.filter((one) => one.sequence >= began)
}

/** A write that returns when it is durable makes the rest of its blocks durable too. */
function syncWritten(file: File, write: number): void {
  for (const [block, versions] of [...file.pending]) {
    if (versions.some((version) => version.sequence === write)) syncBlock(file, block, write)
  }
}

function syncBlock(file: File, block: number, upTo: number): void {
  const versions = file.pending.get(block)!
  for (const version of versions) if (version.sequence <= upTo) write(file.durable, block, version)
  const laterVersions = versions.filter((version) => version.sequence > upTo)
  if (laterVersions.length > 0) file.pending.set(block, laterVersions)
  else file.pending.delete(block)
}

function contentOf(file: File, draw: Draw): Buffer {
  const content = { bytes: Buffer.from(file.durable.bytes), size: file.durable.size }
  for (const { size } of file.sizes) if (draw(2) === 1) resize(content, size)
  // Mostly a block is on the disk whole or not at all; now and then the power failed during its write.
  const torn = draw(4) === 0
  for (const [block, versions] of file.pending) {
    const versionCount = draw(versions.length + 1)
    for (const version of versions.slice(0, versionCount)) write(content, block, version)
    const next = versions[versionCount]
    if (torn && next) for (const part of sectorsOf(next)) if (draw(2) === 1) write(content, block, part)
  }
  return content.bytes.subarray(0, content.size)
}

function sectorsOf({ sequence, at, bytes }: Version): Version[] {
  const parts: Version[] = []
  for (let done = 0; done < bytes.length; ) {
    const some = bytes.subarray(done, done + sectorBytes - ((at + done) % sectorBytes))
    parts.push({ sequence, at: at + done, bytes: some })
    done += some.length
  }
  return parts
}

function write(content: Content, block: number, { at, bytes }: Version): void {
  const from = block * blockBytes + at
  if (from + bytes.length > content.size) resize(content, from + bytes.length)
  bytes.copy(content.bytes, from)
}

function resize(content: Content, size: number): void {
  if (size > content.bytes.length) {
    const larger = Buffer.alloc(size * 2)
    content.bytes.copy(larger, 0, 0, content.size)
    content.bytes = larger
  }
  content.bytes.fill(0, size, Math.max(size, content.size))
  content.size = size
}
