/** Validates credentials: first by the form of their provider, then by its adapter. */
import { findInCatalog } from '../../core/catalogs/index.js'
import type { AuthProblem } from '../../core/channel/adapter.js'
import type { HostedAdapter } from '../../core/channel/hostedadapter.js'
import type { ChannelName } from '../../core/channelnames.js'
import { invalid, type Refusal } from '../../core/errors.js'
import { type Check, compileCheck } from '../../runtime/http/validator.js'
import type { CheckCredentials } from './validate.js'

const badRequest = { status: 400 } as const

interface Provider {
  readonly check: Check
  readonly adapter: HostedAdapter
}

/** Validates with the adapters of this installation; a provider that is only in the catalog cannot be bound. */
export function createCredentialsCheck(adapters: readonly HostedAdapter[]): CheckCredentials {
  const providers = new Map<string, Provider>(
    adapters.map((adapter) => {
      const { channel, provider, form } = adapter.descriptor
      const check = compileCheck(form.credentials as Parameters<typeof compileCheck>[0], '')
      return [providerKey(channel, provider), { check, adapter }]
    }),
  )
  return async (channel, provider, auth) => {
    const entry = providers.get(providerKey(channel, provider))
    if (!entry) return unknownProvider(channel, provider)
    // Checks a copy: the check would fill in the form's defaults, which are the adapter's to decide and may change with
    // it.
    const [problem] = entry.check(structuredClone(auth)) ?? []
    return refusalOf(problem ?? (await entry.adapter.validateAuth?.(auth)))
  }
}

function refusalOf(problem: AuthProblem | undefined): Refusal | undefined {
  return problem && invalid(authField(problem.field), problem.message, badRequest)
}

function providerKey(channel: ChannelName, provider: string): string {
  return `${channel} ${provider}`
}

function unknownProvider(channel: ChannelName, provider: string): Refusal {
  const isListed = findInCatalog('channels', channel)?.unmanaged.some((form) => form.provider === provider)
  const problem = isListed ? `${provider} is not available in this installation` : `${channel} has no such provider`
  return invalid('provider', problem, badRequest)
}

/** The field as the caller spelt it. A problem with the whole object has no field of its own. */
function authField(field: string): string {
  if (field === '') return 'auth'
  return field.startsWith('[') ? `auth${field}` : `auth.${field}`
}
