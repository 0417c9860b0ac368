/** Custom integrations: the arguments of a call go to the endpoint that the operator named, and nothing else does. */
import { extensionsOf } from '../../core/tools/extensions.js'
import type { OutsideOutcome } from '../../core/turn/port.js'
import { callHttpTool, type HttpToolDeps, type OneCall } from './httptool.js'
import { captured } from './outcomes.js'
import type { CallSetup, OpenSecrets } from './setup.js'

type IntegrationSetup = Extract<CallSetup, { kind: 'integration' }>

export function callIntegration(
  deps: HttpToolDeps,
  { integration }: IntegrationSetup,
  { authHeader }: OpenSecrets,
  one: OneCall,
): Promise<OutsideOutcome> {
  const { id, endpoint, parameters } = integration
  const tool = {
    subject: `the integration ${id}`,
    id,
    url: endpoint.url,
    method: endpoint.method ?? 'POST',
    body: one.call.arguments,
    authorization: authHeader,
    isIdempotent: extensionsOf(parameters).isIdempotent,
  }
  return callHttpTool(deps, tool, one)
}

export function captureIntegration({ integration }: IntegrationSetup, { call }: OneCall, at: number): OutsideOutcome {
  const { id, name = id, endpoint } = integration
  const payload = { method: endpoint.method ?? 'POST', url: withoutQuery(endpoint.url), arguments: call.arguments }
  return captured('integration', `Calls the integration ${name}.`, payload, at)
}

/** A query may hold a key. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '')
}
