/**
 * The checks that a person passes before a campaign sends to them. They run in one order, and the first that fails
 * excludes the person, so each person is counted once.
 */
import type { AgentDocument } from '../agent/index.js'
import type { Outreach } from '../agent/resources/templates.js'
import type { ChannelName } from '../channelnames.js'
import { type Facts, guard } from '../outreach/guardrails.js'
import { chosenIdentity, inputOf, isBlank } from '../outreach/judge.js'
import { type Opener, openerFor } from '../outreach/opener.js'
import type { Sending } from '../outreach/settings.js'
import type { Person, PersonIdentity } from '../people/person.js'
import { type Exclusion, exclusions, type RecipientReason } from './recipient.js'

export interface Screening {
  readonly document: AgentDocument
  readonly agent: { readonly name: string; readonly description?: string }
  readonly outreach: Outreach
  readonly sending: Sending
  readonly includePreviouslyContacted: boolean
  /** A rehearsal: nobody is really written to, so only the opening has to work. */
  readonly isTest: boolean
  /** Whether something carries messages on that channel. */
  readonly isBound: (channel: ChannelName) => boolean
  /** Whether a marketing send to that person is queued or under way. */
  readonly isMarketingUnderWay: (person: Person) => boolean
  readonly at: number
  readonly timeScale: number
}

interface Seen {
  readonly person: Person
  readonly identity: PersonIdentity | undefined
  /** Written when the first check asks for it. */
  readonly opener: () => Opener
}

type Check = (seen: Seen, screening: Screening) => boolean | { readonly detail: string }

/** Each answers whether the person is left out. They run in the order of `exclusions`. */
const checks: Readonly<Record<Exclusion, Check>> = {
  noConsent: (seen, screening) => isStopped('no_consent', seen, screening),
  previouslyContacted: ({ person }, { includePreviouslyContacted, outreach }) =>
    !includePreviouslyContacted && (person.outreach?.received?.includes(outreach.id) ?? false),
  frequencyGated: (seen, screening) => isStopped('frequency_capped', seen, screening),
  noChannelIdentity: ({ identity }) => identity === undefined,
  channelUnresolved: ({ identity }, { isTest, isBound }) => !isTest && !isBound(identity!.channel),
  templateBlocked({ person, opener }, { outreach }) {
    const missing = outreach.inputs.filter((key) => isBlank(inputOf(person, key)))
    if (missing.length > 0) return { detail: `Missing: ${missing.join(', ')}` }
    const written = opener()
    return 'blocked' in written ? { detail: written.blocked } : false
  },
  optedOut: (seen, screening) => isStopped('opted_out', seen, screening, seen.identity?.optedOutAt !== undefined),
}

/** By the table of guardrails, which knows what a campaign asks for. */
function isStopped(reason: RecipientReason, { person }: Seen, screening: Screening, isOptedOut = false): boolean {
  if (screening.isTest) return false
  const found = guard('campaign', factsOf(person, screening, isOptedOut))
  return found?.kind === 'skip' && found.reason === reason
}

/** Without hours: those hold up the whole campaign, and leave nobody out. */
export function factsOf(
  person: Person,
  screening: Pick<Screening, 'at' | 'outreach' | 'sending' | 'timeScale' | 'isMarketingUnderWay'>,
  isOptedOut: boolean,
): Facts {
  const { at, outreach, sending, timeScale, isMarketingUnderWay } = screening
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

export interface Screened {
  readonly identity?: PersonIdentity
  readonly exclusion?: Exclusion
  readonly detail?: string
  /** What they would be sent, if it came to that. */
  readonly opener?: Opener
}

export function screened(person: Person, screening: Screening): Screened {
  const { document, agent, outreach, isTest } = screening
  const identity = isTest ? person.identities[0] : chosenIdentity(person)
  let opener: Opener | undefined
  const seen: Seen = {
    person,
    identity,
    opener: () => (opener ??= openerFor({ document, agent, templateId: outreach.openerTemplateId, person })),
  }
  for (const exclusion of exclusions) {
    const found = checks[exclusion](seen, screening)
    if (!found) continue
    return {
      ...(identity && { identity }),
      exclusion,
      ...(typeof found === 'object' && found),
      ...(opener && { opener }),
    }
  }
  return { identity: identity!, opener: seen.opener() }
}

/** Of a person whom nobody can find: there is no identity to write to. */
export const nobody: Screened = { exclusion: 'noChannelIdentity' }
