/** The tools of the catalog that support a sign-in, and the service of each. */

/**
 * `provider` names a service, not a vendor: the configuration of the installation maps it to one. A tool that is not
 * listed takes keys and passwords only.
 */
const signIns: Readonly<Record<string, SignIn>> = {
  '@svc/tool.calendar': { provider: 'calendar', replaces: ['username', 'password'] },
  '@svc/tool.crm-record': { provider: 'crm', replaces: ['apiKey'] },
  '@svc/tool.helpdesk-ticket': { provider: 'helpdesk', replaces: ['accountEmail', 'apiToken'] },
  '@svc/tool.sheet-row': { provider: 'sheets', replaces: ['token'] },
}

interface SignIn {
  readonly provider: string
  /** Fields of the config that a sign-in makes unnecessary. */
  readonly replaces: readonly string[]
}

export const signInTools: readonly string[] = Object.keys(signIns)

/** Undefined for a tool without a sign-in. */
export function signInOf(toolId: string): SignIn | undefined {
  return Object.hasOwn(signIns, toolId) ? signIns[toolId] : undefined
}

/** Undefined for a tool without a sign-in. */
export function providerOfTool(toolId: string): string | undefined {
  return signInOf(toolId)?.provider
}

/**
 * The field of a tool's config that names a connection of the org, whose sign-in is then used instead of the tool's
 * own.
 */
export const connectionField = 'connectionId'
