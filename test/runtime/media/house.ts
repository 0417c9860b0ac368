/** Media with everything around it: an engine on time that stands still, files in a folder, and a log to read. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { media as limits } from '../../../core/limits.js'
import type { Media, Objects } from '../../../runtime/media/contract.js'
import { openFiles } from '../../../runtime/media/files.js'
import { type MediaOptions, openMedia } from '../../../runtime/media/open.js'
import { type MediaCommands, mediaCommands, mediaRepertoire } from '../../../runtime/media/record.js'
import { openLog } from '../../../runtime/observe/log.js'
import type { House, Logged } from '../../contract/shards/house.js'
import { openEmbeddedHouse } from '../../harness/engines.js'

export interface MediaHouse {
  readonly media: Media
  readonly house: House
  readonly dir: string
  readonly objects: Objects
  readonly commands: MediaCommands
  readonly logged: readonly Logged[]
  files(): Promise<string[]>
}

export interface MediaHouseOptions extends Partial<MediaOptions> {
  /** One that has ended: this one goes on with its data. */
  readonly after?: MediaHouse
  readonly freeBytes?: () => Promise<number>
  /** Stands between media and its files. */
  readonly between?: (objects: Objects) => Objects
}

/** Patient: a test of what takes too long brings limits of its own. */
export const patient = { connectMs: 20_000, headersMs: 20_000, totalMs: 60_000, redirects: limits.redirects }
export const hasty = { ...patient, headersMs: 200, totalMs: 400 }

export async function openMediaHouse(t: Test, options: MediaHouseOptions = {}): Promise<MediaHouse> {
  const { after, freeBytes = async () => limits.freeDiskBytes, between = (same) => same, ...given } = options
  const dir = after?.dir ?? mkdtempSync(join(tmpdir(), 'parley-media-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const logged: Logged[] = []
  const commands = mediaCommands({ timeScale: given.timeScale ?? 1 })
  const objects = between(await openFiles({ dir, freeBytes }))
  const house = await openEmbeddedHouse(t, { repertoire: mediaRepertoire(commands, objects), after: after?.house })
  const media = openMedia({
    allowPrivate: true,
    shards: house.shards,
    commands,
    objects,
    publicUrl: () => 'https://gateway.test',
    timeScale: 1,
    clock: house.clock,
    log: openLog({ to: { write: (line) => logged.push(JSON.parse(line)) } }).log,
    randomBytes,
    limits: patient,
    ...given,
  })
  t.teardown(() => media.close())
  const files = async () => (await readdir(dir)).sort()
  return { media, house, dir, objects, commands, logged, files }
}

/** Everything that is passed on, at any size. */
export const anything = { types: ['image/*', 'video/*', 'audio/*', 'application/*', 'text/*'], maxBytes: 1e9 }
