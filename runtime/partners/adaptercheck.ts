/** Checks whether a module exports adapters of the contract; a problem is described in words that follow its name. */

import { contractVersion } from '../../core/channel/adapter.js'
import { ProviderForm } from '../../core/channel/form.js'
import { channelNames } from '../../core/channelnames.js'
import { isRecord } from '../../core/json.js'
import { compileCheck, mustCompile } from '../http/validator.js'
import { optionalMembers } from './contract.js'

type Loose = Readonly<Record<string, unknown>>

/** The adapters of a module: its default export or `adapters`; empty without either. */
export function adaptersIn(module: Loose): readonly unknown[] {
  const exported = module.default ?? module.adapters
  return Array.isArray(exported) ? exported : exported === undefined ? [] : [exported]
}

const isForm = compileCheck(ProviderForm, 'form')
const requiredMembers = ['render', 'send', 'receive'] as const

/** The problem of an adapter that was loaded, in words that follow its name. */
export function adapterError(adapter: unknown): string | undefined {
  if (!isRecord(adapter)) return 'gives something that is no adapter'
  const { descriptor } = adapter
  if (!isRecord(descriptor)) return 'has no `descriptor`'
  const { contract, channel, provider, traits, form, headers } = descriptor
  if (contract !== contractVersion)
    return `speaks version ${describe(contract)} of the adapter contract, and this node version ${contractVersion}`
  if (!channelNames.some((name) => name === channel))
    return `is for the channel ${describe(channel)}, which does not exist`
  if (channel === 'webchat') return 'is for webchat, which the gateway serves itself'
  const missing = requiredMembers.find((name) => typeof adapter[name] !== 'function')
  if (missing) return `has no function \`${missing}\``
  const invalidMember = optionalMembers.find(
    (name) => adapter[name] !== undefined && typeof adapter[name] !== 'function',
  )
  if (invalidMember) return `has a \`${invalidMember}\` that is no function`
  const [error] = isForm(form) ?? []
  if (error) return `has a credential form whose ${error.field} ${error.message}`
  if ((form as ProviderForm).provider !== provider) return 'has a credential form of another provider'
  if (!isRecord(traits) || traits.channel !== channel) return 'has no traits of its channel'
  const isHeader = (name: unknown) => typeof name === 'string' && /^[a-z0-9-]+$/.test(name)
  if (!Array.isArray(headers) || !headers.every(isHeader))
    return 'has `headers` that are no list of names in lower case'
  return schemaError(form as ProviderForm)
}

function schemaError({ credentials }: ProviderForm): string | undefined {
  try {
    mustCompile(credentials as Parameters<typeof mustCompile>[0])
    return undefined
  } catch (error) {
    return `has a credential form that cannot be checked: ${(error as Error).message}`
  }
}

function describe(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 60) : 'nothing'
}
