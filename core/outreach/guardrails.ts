/** Guardrails of sends by origin: one table, and its evaluation for one origin. */
import { activeUntil } from '../conversation/activity.js'
import { hour } from '../durations.js'
import { type Refusal, refuse } from '../errors.js'
import { outreachSend as limits } from '../limits/index.js'
import type { ConsentStatus } from '../people/person.js'
import { scaledMs } from '../time.js'
import { type Hours, nextOpenTime } from './hours.js'
import type { SendReason } from './send.js'

export const guardedOrigins = ['named', 'automated', 'campaign', 'followUp', 'reminder'] as const
export type GuardedOrigin = (typeof guardedOrigins)[number]

export interface GuardFacts {
  readonly at: number
  readonly consent: ConsentStatus
  /** The caller says that the person declined. */
  readonly hasDeclined?: boolean
  readonly isOptedOut: boolean
  readonly safeHours?: Hours
  /** Of the rule or campaign that sends. */
  readonly sendWindow?: Hours
  /** Set by the rule or the reminders; absent: not set. */
  readonly ignoresSafeHours?: boolean
  readonly isMarketing: boolean
  readonly marketingAt?: number
  /** Whether an earlier marketing send to this person is queued or in flight. */
  readonly isMarketingUnderWay?: boolean
  readonly minTouchIntervalHours: number
  /** When the person last wrote. */
  readonly lastInboundAt?: number
  readonly timeScale: number
}

/** The first decision wins; a warning does not stop the evaluation. */
export type GuardDecision =
  | { readonly kind: 'refuse'; readonly refusal: Refusal; readonly reason: SendReason }
  | { readonly kind: 'skip'; readonly reason: SendReason }
  | { readonly kind: 'wait'; readonly until: number; readonly waitsFor: 'safe-hours' | 'in-conversation' }
  | { readonly kind: 'warn'; readonly warning: string }

type Rule = (facts: GuardFacts) => GuardDecision | undefined

const skip = (reason: SendReason): GuardDecision => ({ kind: 'skip', reason })
const pass: Rule = () => undefined

/** The entries of the table, each with its rule. */
const rules = {
  consent: {
    unlessDeclinedOrDenied: ({ hasDeclined, consent }) =>
      hasDeclined
        ? { kind: 'refuse', refusal: refuse('agent.outreach.consent_declined'), reason: 'no_consent' }
        : consent === 'denied'
          ? { kind: 'refuse', refusal: refuse('agent.outreach.consent_denied'), reason: 'no_consent' }
          : undefined,
    onlyGranted: ({ consent }) => (consent === 'granted' ? undefined : skip('no_consent')),
    stopsIfDenied: ({ consent }) => (consent === 'denied' ? skip('no_consent') : undefined),
    notRequired: pass,
  },
  stop: {
    refused: ({ isOptedOut }) =>
      isOptedOut ? { kind: 'refuse', refusal: refuse('agent.outreach.opted_out'), reason: 'opted_out' } : undefined,
    neverSent: ({ isOptedOut }) => (isOptedOut ? skip('opted_out') : undefined),
  },
  safeHours: {
    notApplied: pass,
    waits: (facts) => waitUntilOpen(facts, [facts.safeHours, facts.sendWindow]),
    waitsUnlessIgnored: (facts) =>
      waitUntilOpen(facts, [facts.ignoresSafeHours ? undefined : facts.safeHours, facts.sendWindow]),
    ignoredUnlessAsked: (facts) =>
      waitUntilOpen(facts, [facts.ignoresSafeHours === false ? facts.safeHours : undefined]),
  },
  frequencyCap: {
    warns: (facts) =>
      isFrequencyCapped(facts)
        ? {
            kind: 'warn',
            warning: facts.isMarketingUnderWay
              ? 'Another marketing message to this person is on its way.'
              : `A marketing message went to this person less than ${facts.minTouchIntervalHours} hours ago.`,
          }
        : undefined,
    skips: (facts) => (isFrequencyCapped(facts) ? skip('frequency_capped') : undefined),
    exempt: pass,
  },
  inConversation: {
    notDelayed: pass,
    neverArises: pass,
    waits({ at, lastInboundAt, timeScale }) {
      const until = activeUntil(lastInboundAt, at, scaledMs(limits.quietMs, timeScale))
      return until > at ? { kind: 'wait', until, waitsFor: 'in-conversation' } : undefined
    },
  },
} as const satisfies Record<string, Record<string, Rule>>

type Rules = typeof rules
type GuardrailRow = { readonly [G in keyof Rules]: keyof Rules[G] }

export const guardrails: Readonly<Record<GuardedOrigin, GuardrailRow>> = {
  named: {
    consent: 'unlessDeclinedOrDenied',
    stop: 'refused',
    safeHours: 'notApplied',
    frequencyCap: 'warns',
    inConversation: 'notDelayed',
  },
  automated: {
    consent: 'onlyGranted',
    stop: 'neverSent',
    safeHours: 'waitsUnlessIgnored',
    frequencyCap: 'skips',
    inConversation: 'waits',
  },
  campaign: {
    consent: 'onlyGranted',
    stop: 'neverSent',
    safeHours: 'waits',
    frequencyCap: 'skips',
    inConversation: 'waits',
  },
  followUp: {
    consent: 'stopsIfDenied',
    stop: 'neverSent',
    safeHours: 'waits',
    frequencyCap: 'exempt',
    inConversation: 'neverArises',
  },
  reminder: {
    consent: 'notRequired',
    stop: 'neverSent',
    safeHours: 'ignoredUnlessAsked',
    frequencyCap: 'exempt',
    inConversation: 'notDelayed',
  },
}

/** Rules that end a send run before rules that delay it, so that no send waits in vain. */
const ruleOrder = ['consent', 'stop', 'frequencyCap', 'safeHours', 'inConversation'] as const satisfies (keyof Rules)[]

export function evaluateGuardrails(origin: GuardedOrigin, facts: GuardFacts): GuardDecision | undefined {
  let warning: GuardDecision | undefined
  for (const name of ruleOrder) {
    const decision = (rules[name] as Record<string, Rule>)[guardrails[origin][name]]!(facts)
    if (decision?.kind === 'warn') warning = decision
    else if (decision) return decision
  }
  return warning
}

/** Whether a marketing message would come too soon after the last one. */
export function isFrequencyCapped(facts: GuardFacts): boolean {
  const { isMarketing, isMarketingUnderWay, marketingAt, minTouchIntervalHours, at, timeScale } = facts
  if (!isMarketing || minTouchIntervalHours <= 0) return false
  if (isMarketingUnderWay) return true
  if (marketingAt === undefined) return false
  return at - marketingAt < (minTouchIntervalHours * hour) / timeScale
}

/** Windows that never open together are checked again after a day. */
function waitUntilOpen({ at }: GuardFacts, windows: readonly (Hours | undefined)[]): GuardDecision | undefined {
  const configured = windows.filter((each) => each !== undefined)
  if (configured.length === 0) return undefined
  const until = nextOpenTime(configured, at) ?? at + 24 * hour
  return until > at ? { kind: 'wait', until, waitsFor: 'safe-hours' } : undefined
}
