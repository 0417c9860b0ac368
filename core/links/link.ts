/** Outreach links: creation, expiry and view. The holder of a link may start a conversation. */
import { day } from '../durations.js'
import { invalid, isRefusal, type Refusal } from '../errors.js'
import { outreachLink as limits } from '../limits/index.js'

export interface Link {
  readonly id: string
  /** Part of the page's address; knowing it is enough to use the link. */
  readonly code: string
  readonly bindingId: string
  readonly label?: string
  readonly maxUses: number
  /** Numbers that were accepted, each counted once. */
  readonly uses: number
  readonly expiresAt: number
  readonly disabled: boolean
  /** Set by the system only. */
  readonly disabledReason?: 'binding_deleted'
  readonly createdAt: number
}

export interface LinkRequest {
  readonly bindingId: string
  readonly label?: string
  readonly maxUses?: number
  readonly expiresAt?: string
}

const badRequest = { status: 400 } as const

export function createLink(
  request: LinkRequest,
  { id, code, at }: { id: string; code: string; at: number },
): Link | Refusal {
  const { bindingId, label, maxUses = limits.usesDefault } = request
  const expiresAt = expiryOf(request.expiresAt, at)
  if (isRefusal(expiresAt)) return expiresAt
  const labelField = label?.trim() ? { label: label.trim() } : {}
  return { id, code, bindingId, ...labelField, maxUses, uses: 0, expiresAt, disabled: false, createdAt: at }
}

function expiryOf(text: string | undefined, at: number): number | Refusal {
  if (text === undefined) return at + limits.lifetimeDefaultMs
  const expiresAt = Date.parse(text)
  if (Number.isNaN(expiresAt)) return invalid('expiresAt', 'must be a moment in ISO 8601', badRequest)
  if (expiresAt <= at) return invalid('expiresAt', 'must be in the future', badRequest)
  if (expiresAt <= at + limits.lifetimeMaxMs) return expiresAt
  return invalid('expiresAt', `must be at most ${limits.lifetimeMaxMs / day} days from now`, badRequest)
}

/** Why the link starts no conversations now; undefined while it does. */
export function closedReason(link: Link, at: number, isBindingActive: boolean): string | undefined {
  if (link.disabled) return link.disabledReason ? 'The channel of the link was deleted.' : 'The link is disabled.'
  if (link.expiresAt <= at) return 'The link has expired.'
  if (link.uses >= link.maxUses) return 'The link is used up.'
  return isBindingActive ? undefined : 'The channel of the link is not in service.'
}

/** Enabling also removes the reason; a use of the link then checks whether the channel exists again. */
export function setDisabled({ disabledReason, ...link }: Link, disabled: boolean): Link {
  return { ...link, disabled, ...(disabled && disabledReason && { disabledReason }) }
}

export function disableDeletedBinding(link: Link): Link {
  return { ...link, disabled: true, disabledReason: 'binding_deleted' }
}

const toIso = (at: number) => new Date(at).toISOString()

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
    expiresAt: toIso(expiresAt),
    disabled,
    ...(disabledReason && { disabledReason }),
    createdAt: toIso(createdAt),
  }
}
