/** Who comes through: first by what kind of token and whose org, then by role and scope. */
import { type Access, type Caller, judge } from '../../core/access.js'
import { type Refusal, refuse } from '../../core/errors.js'

export const unauthenticated = refuse('auth.unauthenticated', { headers: { 'www-authenticate': 'Bearer' } })
export const notFound = refuse('resource.not_found')

/** Who may come this far at all: a stranger to the org learns nothing, not even that it exists. */
export function confine(access: Access, caller: Caller, params: Readonly<Record<string, string>>): Refusal | undefined {
  if (access.who === 'emulator') return caller.kind === 'grant' ? undefined : refuse('auth.forbidden')
  if (caller.kind === 'grant') {
    const reached =
      access.who === 'member' && access.grant && caller.orgId === params.org && caller.agentId === params.agent
    return reached ? undefined : refuse('auth.emulator_grant.forbidden')
  }
  if ((access.who === 'agent') !== (caller.kind === 'agent')) return unauthenticated
  if (access.who === 'member' && params.org !== undefined && params.org !== caller.orgId) return notFound
  return undefined
}

export function authorise(access: Access, caller: Caller): Refusal | undefined {
  if (caller.kind === 'grant' || caller.kind === 'agent') return undefined
  switch (access.who) {
    case 'any':
      return judge(caller, 'viewer', access.scopes)
    case 'member':
      return judge(caller, access.role, access.scopes)
    case 'sysop':
      return caller.isSysop ? undefined : refuse('auth.forbidden')
    default:
      return undefined
  }
}

/** Whether the second way in would do, of a route that has one. */
export function mayElse(access: Access, caller: Caller): boolean {
  const { or } = access as Extract<Access, { who: 'member' }>
  if (!or || caller.kind === 'grant' || caller.kind === 'agent') return false
  return judge(caller, or.role, or.scopes) === undefined
}

export function isMeantFor(access: Access, body: unknown): boolean {
  return access.who === 'member' && access.or !== undefined && access.or.isMeant(body as never)
}
