/** Authorization of a call: first the kind of token and the tenant, then role and scopes. */
import { type Access, type Caller, authorize as checkAccess } from '../../core/access.js'
import { type Refusal, refuse } from '../../core/errors.js'

export const unauthenticated = refuse('auth.unauthenticated', { headers: { 'www-authenticate': 'Bearer' } })
export const notFound = refuse('resource.not_found')

/**
 * Refuses a caller of another tenant, or of another kind than the route takes, without revealing that an org exists.
 */
export function checkTenant(
  access: Access,
  caller: Caller,
  params: Readonly<Record<string, string>>,
): Refusal | undefined {
  if (access.who === 'emulator') return caller.kind === 'grant' ? undefined : refuse('auth.forbidden')
  if (caller.kind === 'grant') {
    const isCovered =
      access.who === 'member' && access.grant && caller.orgId === params.org && caller.agentId === params.agent
    return isCovered ? undefined : refuse('auth.emulator_grant.forbidden')
  }
  if ((access.who === 'agent') !== (caller.kind === 'agent')) return unauthenticated
  if (access.who === 'member' && params.org !== undefined && params.org !== caller.orgId) return notFound
  return undefined
}

export function authorize(access: Access, caller: Caller): Refusal | undefined {
  if (caller.kind === 'grant' || caller.kind === 'agent') return undefined
  switch (access.who) {
    case 'any':
      return checkAccess(caller, 'viewer', access.scopes)
    case 'member':
      return checkAccess(caller, access.role, access.scopes)
    case 'sysop':
      return caller.isSysop ? undefined : refuse('auth.forbidden')
    default:
      return undefined
  }
}

/** Whether the route declares an alternative access, and the caller has its role and scopes. */
export function hasAlternative(access: Access, caller: Caller): boolean {
  const { or } = access as Extract<Access, { who: 'member' }>
  if (!or || caller.kind === 'grant' || caller.kind === 'agent') return false
  return checkAccess(caller, or.role, or.scopes) === undefined
}

/** Whether the body is one for which the route's alternative access suffices. */
export function alternativeApplies(access: Access, body: unknown): boolean {
  return access.who === 'member' && access.or !== undefined && access.or.appliesTo(body as never)
}
