/**
 * Adapters of partners: the modules that `PARLEY_ADAPTERS` names, each held to the contract before a node starts with it.
 * What is wrong is said with the name of the module, since whoever reads it wrote that name.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ProviderForm } from '../core/catalogs/shapes.js'
import { type Adapter, contractVersion } from '../core/channel/adapter.js'
import { channelNames } from '../core/channel/names.js'
import { compileCheck, mustCompile } from './http/validate.js'

/**
 * The adapters of all modules, in their order. A module is named as a package, or as a path that is absolute or begins
 * with a dot and is meant from `from`; it gives its adapter, or a list of them, as its default export or as `adapters`.
 * `taken` are the adapters that are there already.
 */
export async function loadAdapters(
  specifiers: readonly string[],
  from: string,
  taken: readonly Adapter[] = [],
): Promise<readonly Adapter[]> {
  const loaded: Adapter[] = []
  for (const specifier of specifiers) {
    for (const adapter of adaptersIn(specifier, await imported(specifier, from))) {
      const problem = wrongAdapter(adapter) ?? isTaken(adapter as Adapter, [...taken, ...loaded])
      if (problem) throw failure(specifier, problem)
      loaded.push(adapter as Adapter)
    }
  }
  return loaded
}

/** A module that is named in the configuration and cannot be an adapter. */
export class AdapterUnusable extends Error {
  override readonly name = 'AdapterUnusable'
}

function failure(specifier: string, problem: string): Error {
  return new AdapterUnusable(`PARLEY_ADAPTERS: ${specifier} ${problem}.`)
}

type Loose = Readonly<Record<string, unknown>>

async function imported(specifier: string, from: string): Promise<Loose> {
  const file = fileOf(specifier, from)
  if (file === undefined) throw failure(specifier, 'cannot be found')
  try {
    return (await import(pathToFileURL(file).href)) as Loose
  } catch (error) {
    throw failure(specifier, `cannot be loaded: ${(error as Error)?.message ?? 'it threw no error'}`)
  }
}

/** The file that a module begins in, by the rules of node; packages may be for `import` alone. */
function fileOf(specifier: string, from: string): string | undefined {
  const require = createRequire(join(from, 'from-here.js'))
  const isPath = isAbsolute(specifier) || /^\.\.?(\/|$)/.test(specifier)
  const named = isPath ? resolve(from, specifier) : specifier
  try {
    return require.resolve(named)
  } catch {
    const folders = isPath ? [named] : (require.resolve.paths(named) ?? []).map((folder) => join(folder, named))
    return folders.map(entryOf).find((file) => file !== undefined)
  }
}

function entryOf(folder: string): string | undefined {
  const about = join(folder, 'package.json')
  if (!existsSync(about)) return undefined
  try {
    const { exports, main } = JSON.parse(readFileSync(about, 'utf8'))
    const entry = importedBy(exports?.['.'] ?? exports) ?? main ?? 'index.js'
    const file = resolve(folder, String(entry))
    return statSync(file).isFile() ? file : undefined
  } catch {
    return undefined
  }
}

function importedBy(target: unknown): string | undefined {
  if (typeof target === 'string') return target
  if (typeof target !== 'object' || target === null) return undefined
  const chosen = Object.entries(target).find(([condition]) => ['node', 'import', 'default'].includes(condition))
  return chosen && importedBy(chosen[1])
}

function adaptersIn(specifier: string, module: Loose): readonly unknown[] {
  const given = module.default ?? module.adapters
  const adapters = Array.isArray(given) ? given : given === undefined ? [] : [given]
  if (adapters.length > 0) return adapters
  throw failure(specifier, 'gives no adapter, neither as its default export nor as `adapters`')
}

const isForm = compileCheck(ProviderForm, 'form')
const needed = ['render', 'send', 'receive'] as const
const optional = [
  'traitsWith',
  'signal',
  'wrongAuth',
  'probe',
  'find',
  'revoke',
  'openMedia',
  'follow',
  'connect',
] as const

/** What is wrong with an adapter although it could be loaded, to be read after its name. */
function wrongAdapter(adapter: unknown): string | undefined {
  if (!isObject(adapter)) return 'gives something that is no adapter'
  const { descriptor } = adapter
  if (!isObject(descriptor)) return 'has no `descriptor`'
  const { contract, channel, provider, traits, form, headers } = descriptor
  if (contract !== contractVersion)
    return `speaks version ${shown(contract)} of the adapter contract, and this node version ${contractVersion}`
  if (!channelNames.some((name) => name === channel))
    return `is for the channel ${shown(channel)}, which does not exist`
  if (channel === 'webchat') return 'is for webchat, which the gateway serves itself'
  const missing = needed.find((name) => typeof adapter[name] !== 'function')
  if (missing) return `has no function \`${missing}\``
  const odd = optional.find((name) => adapter[name] !== undefined && typeof adapter[name] !== 'function')
  if (odd) return `has a \`${odd}\` that is no function`
  const [wrong] = isForm(form) ?? []
  if (wrong) return `has a credential form whose ${wrong.field} ${wrong.message}`
  if ((form as ProviderForm).provider !== provider) return 'has a credential form of another provider'
  if (!isObject(traits) || traits.channel !== channel) return 'has no traits of its channel'
  const isHeader = (name: unknown) => typeof name === 'string' && /^[a-z0-9-]+$/.test(name)
  if (!Array.isArray(headers) || !headers.every(isHeader))
    return 'has `headers` that are no list of names in lower case'
  return wrongSchema(form as ProviderForm)
}

function wrongSchema({ credentials }: ProviderForm): string | undefined {
  try {
    mustCompile(credentials as Parameters<typeof mustCompile>[0])
    return undefined
  } catch (error) {
    return `has a credential form that cannot be checked: ${(error as Error).message}`
  }
}

function isTaken({ descriptor: { channel, provider } }: Adapter, known: readonly Adapter[]): string | undefined {
  const is = ({ descriptor }: Adapter) => descriptor.channel === channel && descriptor.provider === provider
  return known.some(is) ? `is for ${provider} on ${channel}, which has an adapter already` : undefined
}

function isObject(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null
}

function shown(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 60) : 'nothing'
}
