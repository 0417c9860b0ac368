/** Tools of the catalog that are a call to a backend of the business: where the call goes, and what it carries. */

/** Members are names of fields in the tool's form. */
export interface ToolBackend {
  /** Below this address is a path for each tool, by its name. */
  readonly address: string
  /** Sent as a bearer token, unless a sign-in replaces it. */
  readonly token: string
  /** Fields that are for Parley alone. All others go to the backend, except those that are write-only. */
  readonly own?: readonly string[]
}

const backends: Readonly<Record<string, ToolBackend>> = {
  '@svc/tool.crm-record': { address: 'baseUrl', token: 'apiKey' },
  '@svc/tool.helpdesk-ticket': { address: 'baseUrl', token: 'apiToken' },
  '@svc/tool.order-lookup': { address: 'baseUrl', token: 'apiKey', own: ['hiddenFields'] },
  '@svc/tool.return-request': { address: 'baseUrl', token: 'apiKey' },
  '@svc/tool.shipment-tracking': { address: 'baseUrl', token: 'apiKey' },
  '@svc/tool.product-search': { address: 'baseUrl', token: 'apiKey' },
  '@svc/tool.payment-link': { address: 'baseUrl', token: 'secretKey' },
  '@svc/tool.listing-search': { address: 'feedUrl', token: 'apiKey' },
  '@svc/tool.place-search': { address: 'searchUrl', token: 'apiKey' },
  '@svc/tool.sheet-row': { address: 'endpointUrl', token: 'token' },
}

/** Undefined for a tool that is no call to a backend. */
export function backendOf(toolId: string): ToolBackend | undefined {
  return Object.hasOwn(backends, toolId) ? backends[toolId] : undefined
}

export const calendarTool = '@svc/tool.calendar'
export const mailTool = '@svc/tool.mail'
export const webhookTool = '@svc/tool.webhook'

/** `order-lookup` for `@svc/tool.order-lookup`: the last part of the backend's path. */
export function toolNameOf(toolId: string): string {
  return toolId.slice(toolId.lastIndexOf('.') + 1)
}
