/** Which tools of the catalog a person can sign in for, and at whose service. */

/**
 * The word of a service, not of a vendor: the operator of an installation says in its configuration who answers to it.
 * A tool that is not here takes keys and passwords only.
 */
const providerOf: Readonly<Record<string, string>> = {
  '@svc/tool.calendar': 'calendar',
  '@svc/tool.crm-record': 'crm',
  '@svc/tool.helpdesk-ticket': 'helpdesk',
  '@svc/tool.sheet-row': 'sheets',
}

export const signInTools: readonly string[] = Object.keys(providerOf)

/** Undefined for a tool that nobody signs in for. */
export function providerOfTool(toolId: string): string | undefined {
  return Object.hasOwn(providerOf, toolId) ? providerOf[toolId] : undefined
}

/** The field of a tool's config that names a connection of the org, whose sign-in is then used instead of the tool's own. */
export const connectionField = 'connectionId'
