/** Media with everything around it: an engine on time that stands still, files in a folder, and a log to read. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { media as limits } from '../../../core/limits/index.js'
import type { Media, MediaStore } from '../../../runtime/media/contract.js'
import { createFileStore } from '../../../runtime/media/filestore.js'
import { type MediaOptions, openMedia } from '../../../runtime/media/media.js'
import { type MediaCommands, mediaCommands, mediaHandlers } from '../../../runtime/media/record.js'
import { createLog } from '../../../runtime/observe/log.js'
import type { EngineFixture, Logged } from '../../contract/shards/fixture.js'
import { openEmbeddedFixture } from '../../harness/engines.js'

export interface MediaFixture {
  readonly media: Media
  readonly fixture: EngineFixture
  readonly dir: string
  readonly objects: MediaStore
  readonly commands: MediaCommands
  readonly logged: readonly Logged[]
  files(): Promise<string[]>
}

export interface MediaFixtureOptions extends Partial<MediaOptions> {
  /** One that has ended: this one goes on with its data. */
  readonly after?: MediaFixture
  readonly freeBytes?: () => Promise<number>
  /** Stands between media and its files. */
  readonly wrapObjects?: (objects: MediaStore) => MediaStore
}

/** Patient: a test of what takes too long brings limits of its own. */
export const longLimits = { connectMs: 20_000, headersMs: 20_000, totalMs: 60_000, redirects: limits.redirects }
export const shortLimits = { ...longLimits, headersMs: 200, totalMs: 400 }

export async function openMediaFixture(t: Test, options: MediaFixtureOptions = {}): Promise<MediaFixture> {
  const { after, freeBytes = async () => limits.freeDiskBytes, wrapObjects = (same) => same, ...overrides } = options
  const dir = after?.dir ?? mkdtempSync(join(tmpdir(), 'parley-media-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const logged: Logged[] = []
  const commands = mediaCommands({ timeScale: overrides.timeScale ?? 1 })
  const objects = wrapObjects(await createFileStore({ dir, freeBytes }))
  const fixture = await openEmbeddedFixture(t, { handlers: mediaHandlers(commands, objects), after: after?.fixture })
  const media = openMedia({
    allowPrivate: true,
    shards: fixture.shards,
    commands,
    store: objects,
    publicUrl: () => 'https://gateway.test',
    timeScale: 1,
    clock: fixture.clock,
    log: createLog({ destination: { write: (line) => logged.push(JSON.parse(line)) } }).log,
    randomBytes,
    limits: longLimits,
    ...overrides,
  })
  t.teardown(() => media.close())
  const files = async () => (await readdir(dir)).sort()
  return { media, fixture, dir, objects, commands, logged, files }
}

/** Everything that is passed on, at any size. */
export const anything = { types: ['image/*', 'video/*', 'audio/*', 'application/*', 'text/*'], maxBytes: 1e9 }
