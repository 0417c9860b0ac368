/** Roles and scopes: the tables of the contract, and the function that authorizes a caller by them. */
import { type Refusal, refuse } from './errors.js'

export const roles = ['viewer', 'editor', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

export const scopes = [
  'agents:read',
  'agents:write',
  'people:read',
  'people:write',
  'people:export',
  'knowledge:read',
  'knowledge:write',
  'messages:read',
  'catalogs:read',
  'templates:apply',
  'webhooks:manage',
  'org:admin',
  'integrations:journey',
] as const
export type Scope = (typeof scopes)[number]

const implied: Partial<Record<Scope, readonly Scope[]>> = {
  'agents:write': ['agents:read'],
  'people:write': ['people:read', 'people:export'],
  'knowledge:write': ['knowledge:read'],
}

const viewerScopes: readonly Scope[] = [
  'agents:read',
  'people:read',
  'knowledge:read',
  'messages:read',
  'catalogs:read',
]
const editorScopes: readonly Scope[] = [
  ...viewerScopes,
  'agents:write',
  'people:write',
  'people:export',
  'knowledge:write',
  'templates:apply',
]
const adminScopes: readonly Scope[] = [...editorScopes, 'webhooks:manage', 'org:admin']

/** The scopes of a signed-in user follow from the role. */
export const scopesOfRole: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: viewerScopes,
  editor: editorScopes,
  admin: adminScopes,
  owner: adminScopes,
}

/**
 * The role that each scope gives a key. The journey scope lets a key send, so it counts as an editor on the journey's
 * routes.
 */
const roleOfScope: Readonly<Record<Scope, Role>> = {
  'agents:read': 'viewer',
  'agents:write': 'editor',
  'people:read': 'viewer',
  'people:write': 'editor',
  'people:export': 'viewer',
  'knowledge:read': 'viewer',
  'knowledge:write': 'editor',
  'messages:read': 'viewer',
  'catalogs:read': 'viewer',
  'templates:apply': 'editor',
  'webhooks:manage': 'admin',
  'org:admin': 'admin',
  'integrations:journey': 'editor',
}

export function roleOfKey(granted: readonly Scope[]): Role {
  return granted.reduce<Role>(
    (best, scope) => (isAtLeast(roleOfScope[scope], best) ? roleOfScope[scope] : best),
    'viewer',
  )
}

/**
 * All scopes that a key's chosen scopes imply, in the order of the table: write implies read, and every scope implies
 * the catalogs. A key with the journey scope alone stays confined to it.
 */
export function expandScopes(granted: readonly Scope[]): Scope[] {
  const journeyOnly = granted.length > 0 && granted.every((scope) => scope === 'integrations:journey')
  const all = new Set<Scope>(journeyOnly ? [] : ['catalogs:read'])
  for (const scope of granted) {
    all.add(scope)
    for (const also of implied[scope] ?? []) all.add(also)
  }
  return scopes.filter((scope) => all.has(scope))
}

const rank: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, admin: 2, owner: 3 }

export function isAtLeast(role: Role, minimum: Role): boolean {
  return rank[role] >= rank[minimum]
}

/** A member of an org: an API key or a signed-in user. */
export interface Member {
  readonly kind: 'key' | 'session'
  /** The key's id, or the user's. */
  readonly id: string
  /** The API key that a session of this node was made with. */
  readonly keyId?: string
  readonly orgId: string
  readonly role: Role
  readonly scopes: ReadonlySet<Scope>
  readonly isSysop: boolean
  /** The automated caller named by X-Svc-Agent: for attribution, never for authorization. */
  readonly svcAgent?: string
}

/** An emulator grant: it sees one agent's personas and nothing else. */
export interface Grant {
  readonly kind: 'grant'
  readonly id: string
  readonly orgId: string
  readonly agentId: string
  readonly svcAgent?: string
}

/** A gateway access token: the token is the agent. */
export interface AgentCaller {
  readonly kind: 'agent'
  readonly id: string
  readonly orgId: string
  readonly agentId: string
  readonly svcAgent?: string
}

export type Caller = Member | Grant | AgentCaller

/** The author of a change, as records and events store it. */
export interface Actor {
  readonly kind: string
  readonly id: string
  /** The API key behind a session. */
  readonly keyId?: string
  readonly svcAgent?: string
}

export function actorOf(caller: Caller): Actor {
  const { kind, id, svcAgent } = caller
  const keyId = kind === 'session' ? caller.keyId : undefined
  return { kind, id, ...(keyId && { keyId }), ...(svcAgent && { svcAgent }) }
}

/** Restricts a session to the current rights of its key: the lower of both roles, and the scopes that both have. */
export function restrictToKey(session: Member, key: Member): Member {
  return {
    ...session,
    role: isAtLeast(key.role, session.role) ? session.role : key.role,
    scopes: new Set([...session.scopes].filter((scope) => key.scopes.has(scope))),
  }
}

/** An alternative access rule, for calls whose body needs fewer rights. */
export interface ConditionalAccess {
  readonly role: Role
  readonly scopes: readonly Scope[]
  /** Evaluated on bodies that have passed their schema. */
  readonly appliesTo: (body: never) => boolean
}

/**
 * The callers that a route accepts. `scopes` are alternatives: one of them is enough, and none named means none needed.
 */
export type Access =
  | { readonly who: 'public' }
  | { readonly who: 'any'; readonly scopes?: readonly Scope[] }
  | {
      readonly who: 'member'
      readonly role: Role
      readonly scopes?: readonly Scope[]
      readonly grant?: true
      readonly or?: ConditionalAccess
    }
  | { readonly who: 'emulator' }
  | { readonly who: 'agent' }
  | { readonly who: 'sysop' }

/**
 * Checks role and scope independently. The scopes of a key determine its role, so a key gets the missing scope as the
 * reason; a user has the scopes of the role, so the missing role is the reason.
 */
export function authorize(member: Member, minimum: Role, required: readonly Scope[] = []): Refusal | undefined {
  const scopeMissing = !hasAnyScope(member, required)
  const roleMissing = !isAtLeast(member.role, minimum)
  if (scopeMissing && (member.kind === 'key' || !roleMissing)) {
    return refuse('auth.scope_missing', { detail: `This needs ${required.join(' or ')}.` })
  }
  if (roleMissing)
    return refuse('auth.forbidden', { detail: `This needs the role ${minimum}; yours is ${member.role}.` })
  return undefined
}

function hasAnyScope({ scopes }: Member, required: readonly Scope[]): boolean {
  for (const scope of required) if (scopes.has(scope)) return true
  return required.length === 0
}
