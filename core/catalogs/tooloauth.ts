/** Which tools of the catalog a person can sign in for, and at whose service. */

/**
 * The word of a service, not of a vendor: the operator of an installation says in its configuration who answers to it.
 * A tool that is not here takes keys and passwords only.
 */
const signIns: Readonly<Record<string, SignIn>> = {
  '@svc/tool.calendar': { provider: 'calendar', replaces: ['username', 'password'] },
  '@svc/tool.crm-record': { provider: 'crm', replaces: ['apiKey'] },
  '@svc/tool.helpdesk-ticket': { provider: 'helpdesk', replaces: ['accountEmail', 'apiToken'] },
  '@svc/tool.sheet-row': { provider: 'sheets', replaces: ['token'] },
}

interface SignIn {
  readonly provider: string
  /** Fields of the config that nobody has to fill in once somebody has signed in. */
  readonly replaces: readonly string[]
}

export const signInTools: readonly string[] = Object.keys(signIns)

/** Undefined for a tool that nobody signs in for. */
export function signInOf(toolId: string): SignIn | undefined {
  return Object.hasOwn(signIns, toolId) ? signIns[toolId] : undefined
}

/** Undefined for a tool that nobody signs in for. */
export function providerOfTool(toolId: string): string | undefined {
  return signInOf(toolId)?.provider
}

/** The field of a tool's config that names a connection of the org, whose sign-in is then used instead of the tool's own. */
export const connectionField = 'connectionId'
