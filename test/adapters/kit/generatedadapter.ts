/** Generated adapters in folders of their own, which find the kit as it is built here. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Adapter } from '../../../adapters/kit/index.js'
import { scaffoldAdapter } from '../../../adapters/kit/scaffold.js'
import type { Samples } from '../../../adapters/kit/suite/samples.js'

export const parley = fileURLToPath(new URL('../../../../', import.meta.url))
const built = fileURLToPath(new URL('../../../', import.meta.url))

export interface Generated {
  readonly dir: string
  readonly files: readonly string[]
}

export function tempDir(t: { teardown(end: () => void): void }): string {
  const dir = mkdtempSync(join(tmpdir(), 'parley-kit-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

export function generateAdapter(t: { teardown(end: () => void): void }, channel: string, provider: string): Generated {
  const dir = join(tempDir(t), 'made')
  const files = scaffoldAdapter({ channel, provider, into: dir, parley })
  linkBuilt(dir)
  return { dir, files }
}

/** The tests may run from a build of their own, so `parley` is what was built with them. */
function linkBuilt(dir: string): void {
  const link = join(dir, 'node_modules/parley')
  rmSync(link)
  mkdirSync(link)
  symlinkSync(built, join(link, 'built'), 'dir')
  const exports = { './adapters/kit': './built/adapters/kit/index.js' }
  writeFileSync(join(link, 'package.json'), JSON.stringify({ name: 'parley', type: 'module', exports }))
}

export async function loadAdapter(dir: string): Promise<{ readonly adapter: Adapter; readonly samples: Samples }> {
  const { default: adapter } = await import(pathToFileURL(join(dir, 'index.js')).href)
  const { samples } = await import(pathToFileURL(join(dir, 'samples.js')).href)
  return { adapter, samples }
}
