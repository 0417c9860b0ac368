/**
 * Loads the adapters of partners from the modules that `PARLEY_ADAPTERS` names, and checks each against the adapter
 * contract before the node starts. Errors name the module as the operator wrote it.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isAbsolute, join, resolve } from 'node:path'
import type { Descriptor } from '../../core/channel/adapter.js'
import type { HostedAdapter } from '../../core/channel/hostedadapter.js'
import type { Log } from '../observe/log.js'
import { type Host, openHost, type ThreadLimits } from '../partners/host.js'
import { remoteAdapter } from '../partners/remoteadapter.js'

type Described = Pick<HostedAdapter, 'descriptor'>

export interface Partners {
  readonly adapters: readonly HostedAdapter[]
  close(): Promise<void>
}

/**
 * Opens the adapters of all modules, in order, with one thread per module. A module is named as a package, or as a path
 * that is absolute or begins with a dot and is resolved against `from`. It exports an adapter or a list of them, as
 * default export or as `adapters`. `existing` are the adapters that are already loaded.
 */
export async function openPartners(
  specifiers: readonly string[],
  { from, log, existing = [], limits }: PartnersOptions,
): Promise<Partners> {
  const hosts: Host[] = []
  const adapters: HostedAdapter[] = []
  const close = async () => void (await Promise.all(hosts.map((host) => host.close())))
  try {
    for (const specifier of specifiers) {
      const file = fileOf(specifier, from)
      if (file === undefined) throw failure(specifier, 'cannot be found')
      const opened = await openHost({ file, name: specifier, log, ...(limits && { limits }) })
      if (typeof opened === 'string') throw failure(specifier, opened)
      hosts.push(opened.host)
      for (const [at, loaded] of opened.adapters.entries()) {
        const problem = conflictError(loaded.descriptor, [...existing, ...adapters])
        if (problem) throw failure(specifier, problem)
        adapters.push(remoteAdapter(opened.host, at, loaded))
      }
    }
  } catch (error) {
    await close()
    throw error
  }
  return { adapters, close }
}

export interface PartnersOptions {
  readonly from: string
  readonly log: Log
  readonly existing?: readonly Described[]
  readonly limits?: ThreadLimits
}

/** A configured module that is not an adapter. */
export class AdapterUnusable extends Error {
  override readonly name = 'AdapterUnusable'
}

function failure(specifier: string, problem: string): Error {
  return new AdapterUnusable(`PARLEY_ADAPTERS: ${specifier} ${problem}.`)
}

/** The entry file of a module, by the resolution rules of node; packages may support `import` only. */
function fileOf(specifier: string, from: string): string | undefined {
  const require = createRequire(join(from, 'from-here.js'))
  const isPath = isAbsolute(specifier) || /^\.\.?(\/|$)/.test(specifier)
  const request = isPath ? resolve(from, specifier) : specifier
  try {
    return require.resolve(request)
  } catch {
    const folders = isPath ? [request] : (require.resolve.paths(request) ?? []).map((folder) => join(folder, request))
    return folders.map(entryOf).find((file) => file !== undefined)
  }
}

function entryOf(folder: string): string | undefined {
  const packageFile = join(folder, 'package.json')
  if (!existsSync(packageFile)) return undefined
  try {
    const { exports, main } = JSON.parse(readFileSync(packageFile, 'utf8'))
    const entry = importTarget(exports?.['.'] ?? exports) ?? main ?? 'index.js'
    const file = resolve(folder, String(entry))
    return statSync(file).isFile() ? file : undefined
  } catch {
    return undefined
  }
}

function importTarget(target: unknown): string | undefined {
  if (typeof target === 'string') return target
  if (typeof target !== 'object' || target === null) return undefined
  const chosen = Object.entries(target).find(([condition]) => ['node', 'import', 'default'].includes(condition))
  return chosen && importTarget(chosen[1])
}

function conflictError({ channel, provider }: Descriptor, existing: readonly Described[]): string | undefined {
  const isSame = ({ descriptor }: Described) => descriptor.channel === channel && descriptor.provider === provider
  return existing.some(isSame) ? `is for ${provider} on ${channel}, which has an adapter already` : undefined
}
