/**
 * Validation of writes to a binding. Values that the contract answers with 400 are refused here and not by the schemas.
 */
import { findInCatalog } from '../../core/catalogs/index.js'
import { type ChannelName, carrierChannels } from '../../core/channelnames.js'
import { invalid, type Refusal } from '../../core/errors.js'
import { channelBinding as limits } from '../../core/limits/index.js'
import { type Check, compileCheck } from '../../runtime/http/validator.js'
import type { ChannelCreate, ChannelPatch } from './schema.js'

const badRequest = { status: 400 } as const

/** Refuses fields of the other mode; they are not ignored. */
export function modeError({ mode, provider, auth, inputs }: ChannelCreate): Refusal | undefined {
  if (mode === 'managed') {
    if (provider !== undefined) return invalid('provider', 'is for unmanaged bindings')
    return auth === undefined ? undefined : invalid('auth', 'is for unmanaged bindings')
  }
  if (inputs !== undefined) return invalid('inputs', 'is for managed bindings')
  return provider === undefined ? invalid('provider', 'is required', badRequest) : undefined
}

/**
 * Checks a provider and its credentials; the refusal names the field as the caller spelt it. Undefined when all is
 * valid.
 */
export type CheckCredentials = (
  channel: ChannelName,
  provider: string,
  auth: Readonly<Record<string, unknown>>,
) => Promise<Refusal | undefined>

export function deliveryError(delivery: ChannelPatch['delivery']): Refusal | undefined {
  const { minMessageDelayMs, loopGuard } = delivery ?? {}
  const { messages, seconds } = limits.loopGuardMax
  return (
    numberError('delivery.minMessageDelayMs', minMessageDelayMs, limits.delayMinMs, limits.delayMaxMs) ??
    numberError('delivery.loopGuard.messages', loopGuard?.messages, 1, messages) ??
    numberError('delivery.loopGuard.seconds', loopGuard?.seconds, 1, seconds)
  )
}

function numberError(field: string, value: number | undefined, min: number, max: number): Refusal | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return undefined
  return invalid(field, `must be a whole number from ${min} to ${max}`, badRequest)
}

/** Null removes the settings, so the channel does not matter. */
export function complianceError(channel: ChannelName, compliance: ChannelPatch['compliance']): Refusal | undefined {
  if (!compliance) return undefined
  if (!carrierChannels.includes(channel)) {
    return invalid('compliance', `is for ${carrierChannels.join(' and ')} only`, badRequest)
  }
  if ((compliance.disclaimerText?.length ?? 0) <= limits.disclaimerChars) return undefined
  return invalid('compliance.disclaimerText', `must have at most ${limits.disclaimerChars} characters`, badRequest)
}

const fieldChecks = new Map<string, Check>()

/** The problem of one input by the channel's form; undefined for a value that fits, or that the form does not know. */
function inputError(channel: ChannelName, name: string, value: unknown): string | undefined {
  const rules = findInCatalog('channels', channel)?.managed.inputs.properties
  if (!rules || !Object.hasOwn(rules, name)) return undefined
  const key = `${channel} ${name}`
  const check = fieldChecks.get(key) ?? compileCheck(rules[name] as Parameters<typeof compileCheck>[0], name)
  fieldChecks.set(key, check)
  return check(value)?.[0]?.message
}

type Inputs = Readonly<Record<string, unknown>>

/**
 * Inputs that do not fit the form, as a sentence for the operator. Missing inputs are no problem: the emulator does not
 * need them.
 */
export function inputsError(channel: ChannelName, inputs: Inputs): string | undefined {
  const problems = Object.entries(inputs).flatMap(([name, value]) => {
    const message = inputError(channel, name, value)
    return message === undefined ? [] : [`${name} ${message}`]
  })
  return problems.length === 0 ? undefined : `Please correct: ${problems.join('; ')}.`
}

/** Forms take colors of six digits; a color of three digits is expanded to the same color. */
function expandColor({ brandColor }: Inputs): Inputs {
  const [, ...digits] = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(String(brandColor)) ?? []
  return digits.length === 0 ? {} : { brandColor: `#${digits.map((digit) => digit + digit).join('')}` }
}

/**
 * Fills in inputs from the agent's identity where the form asks for them under the same name and they fit; given inputs
 * win.
 */
export function prefill(channel: ChannelName, identity: Inputs, inputs: Inputs): Inputs {
  const rules = findInCatalog('channels', channel)?.managed.inputs.properties ?? {}
  const valid = Object.entries({ ...identity, ...expandColor(identity) }).filter(
    ([name, value]) => Object.hasOwn(rules, name) && inputError(channel, name, value) === undefined,
  )
  return { ...Object.fromEntries(valid), ...inputs }
}
