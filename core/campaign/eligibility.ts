/**
 * The checks that a person passes before a campaign sends to them. They run in one order, and the first that fails
 * excludes the person, so each person is counted once.
 */
import type { AgentDocument } from '../agent/index.js'
import type { Outreach } from '../agent/resources/templates.js'
import type { ChannelName } from '../channelnames.js'
import { chooseIdentity, inputOf, isBlank } from '../outreach/admission.js'
import { evaluateGuardrails, type GuardFacts } from '../outreach/guardrails.js'
import { type Opener, renderOpener } from '../outreach/opener.js'
import type { SendingPolicy } from '../outreach/settings.js'
import type { Person, PersonIdentity } from '../people/person.js'
import { type Exclusion, exclusions, type RecipientReason } from './recipient.js'

interface EligibilityFacts {
  readonly document: AgentDocument
  readonly agent: { readonly name: string; readonly description?: string }
  readonly outreach: Outreach
  readonly sending: SendingPolicy
  readonly includePreviouslyContacted: boolean
  /** A sandbox campaign sends to no real person, so only the opener is checked. */
  readonly isTest: boolean
  readonly at: number
  readonly timeScale: number
}

export interface EligibilityInput extends EligibilityFacts {
  /** Whether a binding serves that channel. */
  readonly isBound: (channel: ChannelName) => boolean
  /** Whether a marketing send to that person is queued or in flight. */
  readonly isMarketingUnderWay: (person: Person) => boolean
}

interface Candidate {
  readonly person: Person
  readonly identity: PersonIdentity | undefined
  /** Rendered when the first check asks for it. */
  readonly opener: () => Opener
}

type Check = (candidate: Candidate, input: EligibilityInput) => boolean | { readonly detail: string }

/** Each check returns whether the person is excluded. They run in the order of `exclusions`. */
const checks: Readonly<Record<Exclusion, Check>> = {
  noConsent: (candidate, input) => isBlockedByGuardrail('no_consent', candidate, input),
  previouslyContacted: ({ person }, { includePreviouslyContacted, outreach }) =>
    !includePreviouslyContacted && (person.outreach?.received?.includes(outreach.id) ?? false),
  frequencyGated: (candidate, input) => isBlockedByGuardrail('frequency_capped', candidate, input),
  noChannelIdentity: ({ identity }) => identity === undefined,
  channelUnresolved: ({ identity }, { isTest, isBound }) => !isTest && !isBound(identity!.channel),
  templateBlocked({ person, opener }, { outreach }) {
    const missing = outreach.inputs.filter((key) => isBlank(inputOf(person, key)))
    if (missing.length > 0) return { detail: `Missing: ${missing.join(', ')}` }
    const rendered = opener()
    return 'blocked' in rendered ? { detail: rendered.blocked } : false
  },
  optedOut: (candidate, input) =>
    isBlockedByGuardrail('opted_out', candidate, input, candidate.identity?.optedOutAt !== undefined),
}

/** By the campaign column of the guardrail table. */
function isBlockedByGuardrail(
  reason: RecipientReason,
  { person }: Candidate,
  input: EligibilityInput,
  isOptedOut = false,
): boolean {
  if (input.isTest) return false
  const finding = evaluateGuardrails('campaign', factsOf(person, input, isOptedOut))
  return finding?.kind === 'skip' && finding.reason === reason
}

/** Without hours: those delay the whole campaign and exclude no person. */
export function factsOf(
  person: Person,
  input: Pick<EligibilityInput, 'at' | 'outreach' | 'sending' | 'timeScale' | 'isMarketingUnderWay'>,
  isOptedOut: boolean,
): GuardFacts {
  const { at, outreach, sending, timeScale, isMarketingUnderWay } = input
  const isMarketing = outreach.class === 'marketing'
  return {
    at,
    consent: person.consent.status,
    isOptedOut,
    isMarketing,
    isMarketingUnderWay: isMarketing && isMarketingUnderWay(person),
    marketingAt: person.outreach?.marketingAt,
    minTouchIntervalHours: sending.minTouchIntervalHours,
    timeScale,
  }
}

export interface Eligibility {
  readonly identity?: PersonIdentity
  readonly exclusion?: Exclusion
  readonly detail?: string
  /** The opener that they would be sent. */
  readonly opener?: Opener
}

export function checkEligibility(person: Person, input: EligibilityInput): Eligibility {
  const { document, agent, outreach, isTest } = input
  const identity = isTest ? person.identities[0] : chooseIdentity(person)
  let opener: Opener | undefined
  const candidate: Candidate = {
    person,
    identity,
    opener: () => (opener ??= renderOpener({ document, agent, templateId: outreach.openerTemplateId, person })),
  }
  for (const exclusion of exclusions) {
    const finding = checks[exclusion](candidate, input)
    if (!finding) continue
    return {
      ...(identity && { identity }),
      exclusion,
      ...(typeof finding === 'object' && finding),
      ...(opener && { opener }),
    }
  }
  return { identity: identity!, opener: candidate.opener() }
}

/** A person that no longer exists has no identity to write to. */
export const unknownPerson: Eligibility = { exclusion: 'noChannelIdentity' }
