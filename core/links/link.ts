/** Outreach links: how one is made, what closes it, and how it is read. Whoever has one may start a conversation. */
import { day } from '../durations.js'
import { invalid, isRefusal, type Refusal } from '../errors.js'
import { outreachLink as limits } from '../limits.js'

export interface Link {
  readonly id: string
  /** Leads to the page; whoever knows it may use the link. */
  readonly code: string
  readonly bindingId: string
  readonly label?: string
  readonly maxUses: number
  /** Numbers that were accepted, each counted once. */
  readonly uses: number
  readonly expiresAt: number
  readonly disabled: boolean
  /** Set by the house alone. */
  readonly disabledReason?: 'binding_deleted'
  readonly createdAt: number
}

export interface LinkWish {
  readonly bindingId: string
  readonly label?: string
  readonly maxUses?: number
  readonly expiresAt?: string
}

const asked = { status: 400 } as const

export function linkFrom(wish: LinkWish, { id, code, at }: { id: string; code: string; at: number }): Link | Refusal {
  const { bindingId, label, maxUses = limits.usesDefault } = wish
  const expiresAt = expiryOf(wish.expiresAt, at)
  if (isRefusal(expiresAt)) return expiresAt
  const named = label?.trim() ? { label: label.trim() } : {}
  return { id, code, bindingId, ...named, maxUses, uses: 0, expiresAt, disabled: false, createdAt: at }
}

function expiryOf(written: string | undefined, at: number): number | Refusal {
  if (written === undefined) return at + limits.lifetimeDefaultMs
  const expiresAt = Date.parse(written)
  if (Number.isNaN(expiresAt)) return invalid('expiresAt', 'must be a moment in ISO 8601', asked)
  if (expiresAt <= at) return invalid('expiresAt', 'must be in the future', asked)
  if (expiresAt <= at + limits.lifetimeMostMs) return expiresAt
  return invalid('expiresAt', `must be at most ${limits.lifetimeMostMs / day} days from now`, asked)
}

/** Why the link starts no conversations just now; undefined while it does. */
export function closedBecause(link: Link, at: number, isBindingActive: boolean): string | undefined {
  if (link.disabled) return link.disabledReason ? 'The channel of the link was deleted.' : 'The link is disabled.'
  if (link.expiresAt <= at) return 'The link has expired.'
  if (link.uses >= link.maxUses) return 'The link is used up.'
  return isBindingActive ? undefined : 'The channel of the link is not in service.'
}

/** Resuming takes the reason away too; whether the channel is there again is found out when it is used. */
export function switched({ disabledReason, ...link }: Link, disabled: boolean): Link {
  return { ...link, disabled, ...(disabled && disabledReason && { disabledReason }) }
}

export function withoutBinding(link: Link): Link {
  return { ...link, disabled: true, disabledReason: 'binding_deleted' }
}

const iso = (at: number) => new Date(at).toISOString()

export function linkView(link: Link, url: string) {
  const { id, code, bindingId, label, maxUses, uses, expiresAt, disabled, disabledReason, createdAt } = link
  return {
    id,
    code,
    url,
    bindingId,
    ...(label !== undefined && { label }),
    maxUses,
    usesRemaining: maxUses - uses,
    redemptionCount: uses,
    expiresAt: iso(expiresAt),
    disabled,
    ...(disabledReason && { disabledReason }),
    createdAt: iso(createdAt),
  }
}
