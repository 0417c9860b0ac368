/** Endpoints of scheduling, notifications, custom integrations and catalog tools. */
import Type from 'typebox'
import {
  configStatus,
  emptyDocument,
  findItem,
  type Item,
  isSecretField,
  putBinding,
  putIntegration,
  removeBinding,
  removeIntegration,
  replaceNotifications,
  replaceScheduling,
  schedulingView,
  setBindingEnabled,
} from '../../../core/agent/index.js'
import {
  Integration,
  IntegrationBody,
  IntegrationView,
  NotificationsBody,
  NotificationsView,
  notificationSecrets,
  Scheduling,
  SchedulingBody,
} from '../../../core/agent/resources/capabilities.js'
import { anyObject, closedObject, optional, record } from '../../../core/agent/resources/schemas.js'
import { type ConnectionState, connectionStates } from '../../../core/connections/status.js'
import { invalid, isRefusal, type Refusal, refuse } from '../../../core/errors.js'
import { agentLimits } from '../../../core/limits/index.js'
import {
  type Endpoint,
  type EndpointRequest,
  type ReadContext,
  type SplitSecrets,
  updates,
  type WriteResult,
} from '../endpoint.js'
import { agentParams, listOf, pagesOf, readAccess, writeAccess } from '../schema.js'
import { stateOf } from '../secrets.js'
import { checkConnection, completeBinding, completeBindings } from './toolconnections.js'

const tag = 'Agent capabilities'
const noTool = refuse('tool.not_found')

type Members = Readonly<Record<string, unknown>>

function without(body: unknown, names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(body as Members).filter(([name]) => !names.includes(name)))
}

const scheduling = { tag, path: '/scheduling', sections: ['scheduling'], reply: { 200: Scheduling } } as const
const showScheduling = ({ document }: ReadContext) => schedulingView(document)

const notifications = {
  tag,
  path: '/notifications',
  sections: ['notifications'],
  reply: { 200: NotificationsView },
} as const
function showNotifications({ document, secrets }: ReadContext) {
  const stored = secrets('notifications')
  const states = notificationSecrets.map((name) => [name, stateOf(stored.get(name))])
  return { ...document.notifications, secrets: Object.fromEntries(states) }
}

function splitNotifications({ body }: EndpointRequest): SplitSecrets | Refusal {
  const validated = replaceNotifications(emptyDocument, body)
  if (isRefusal(validated)) return validated
  const { secrets } = validated
  return { section: 'notifications', item: '', secrets, body: without(body, notificationSecrets) }
}

/** Accepts ids longer than allowed and of any characters, so that the refusal can name the problem. */
const id = Type.String({ minLength: 1, maxLength: agentLimits.facts.idChars })
const integrations = { tag, sections: ['integrations'] } as const
const integration = { ...integrations, path: '/integrations/{id}', params: agentParams({ id }) } as const
const showIntegration = ({ document }: ReadContext, { params }: EndpointRequest) =>
  findItem(document, 'integrations', params.id!) ?? noTool

function splitIntegration({ params, body }: EndpointRequest): SplitSecrets | Refusal {
  const validated = putIntegration(emptyDocument, params.id!, body)
  if (isRefusal(validated)) return validated
  const { authHeader } = validated
  const secrets = authHeader === undefined ? {} : { authHeader }
  return { section: 'integrations', item: params.id!, secrets, body: without(body, ['authHeader']) }
}

const secretState = closedObject('ToolSecretState', { set: Type.Boolean(), last4: optional(Type.String()) })
const ToolBindingView = closedObject('ToolBindingView', {
  toolId: Type.String(),
  enabled: Type.Boolean(),
  config: anyObject(),
  secrets: record(secretState, { description: 'Write-only fields that are stored, by name.' }),
  configStatus: closedObject('ToolConfigStatus', {
    complete: Type.Boolean(),
    missing: Type.Array(Type.String(), {
      description: 'Required fields that are not there; `connectionId` where its connection has to be connected again.',
    }),
    connection: optional(
      closedObject(
        'ToolConnectionStatus',
        { id: Type.String(), status: Type.Unsafe<ConnectionState>({ type: 'string', enum: [...connectionStates] }) },
        { description: 'The connection that the config names, where it is missing or not connected.' },
      ),
    ),
  }),
})
const ToolBindingBody = closedObject('ToolBindingBody', {
  toolId: optional(Type.String()),
  enabled: optional(Type.Boolean()),
  config: anyObject({ description: 'As the config schema of the tool in the catalog asks; null takes a field away.' }),
  /** Ignored, so that a caller can send back what it read. */
  secrets: optional(anyObject({ readOnly: true })),
  configStatus: optional(anyObject({ readOnly: true })),
})
interface ToolBindingBody {
  readonly toolId?: string
  readonly enabled?: boolean
  readonly config: Members
}

const bindings = { tag, sections: ['toolBindings'] } as const
const binding = {
  ...bindings,
  path: '/tool-bindings/{toolId}',
  reply: { 200: ToolBindingView },
  complete: completeBinding,
} as const

function bindingView({ secrets }: ReadContext, toolBinding: Item<'toolBindings'>) {
  const { toolId, enabled = true, config } = toolBinding
  const stored = secrets('toolBindings', toolId)
  const states = Array.from(stored, ([name, secret]) => [name, stateOf(secret)])
  const status = configStatus(toolBinding, new Set(stored.keys()))
  return { toolId, enabled, config, secrets: Object.fromEntries(states), configStatus: status }
}

function showBinding(context: ReadContext, { params }: EndpointRequest) {
  const toolBinding = findItem(context.document, 'toolBindings', params.toolId!)
  return toolBinding ? bindingView(context, toolBinding) : noTool
}

function splitBinding({ params, body }: EndpointRequest): SplitSecrets | Refusal {
  const toolId = params.toolId!
  const { toolId: sent = toolId, config } = body as ToolBindingBody
  if (sent !== toolId) return invalid('toolId', 'must be the id of the path')
  const validated = putBinding(emptyDocument, toolId, config, 'replace')
  if (isRefusal(validated)) return validated
  const plain = Object.entries(config).filter(([name]) => !isSecretField(toolId, name))
  const rest = { ...(body as Members), config: Object.fromEntries(plain) }
  return { section: 'toolBindings', item: toolId, secrets: validated.secrets, body: rest }
}

function writeBinding(mode: 'replace' | 'merge'): Endpoint['write'] {
  return ({ document }, { params, body }): WriteResult | Refusal => {
    const { config, enabled } = body as ToolBindingBody
    const result = putBinding(document, params.toolId!, config, mode)
    if (isRefusal(result) || enabled === undefined) return result
    const outcome = setBindingEnabled(result.document, params.toolId!, enabled)
    return isRefusal(outcome) ? outcome : { document: outcome }
  }
}

export const capabilityEndpoints: readonly Endpoint[] = [
  { ...scheduling, method: 'GET', access: readAccess, summary: 'Read how an agent schedules', view: showScheduling },
  {
    ...scheduling,
    method: 'PUT',
    access: writeAccess,
    summary: 'Replace how an agent schedules; fields that are left out are removed',
    body: SchedulingBody,
    bodyAt: 'scheduling',
    errors: ['request.invalid'],
    write: updates((document, { body }) => replaceScheduling(document, body)),
    view: showScheduling,
  },
  {
    ...notifications,
    method: 'GET',
    access: readAccess,
    summary: 'Read how the team is notified, and which secrets are stored',
    view: showNotifications,
  },
  {
    ...notifications,
    method: 'PUT',
    access: writeAccess,
    summary: 'Replace how the team is notified; a secret that is left out stays, null clears it',
    body: NotificationsBody,
    bodyAt: 'notifications',
    errors: ['request.invalid'],
    splitSecrets: splitNotifications,
    write({ document }, { body }) {
      const result = replaceNotifications(document, body)
      return isRefusal(result) ? result : { document: result.document }
    },
    view: showNotifications,
  },
  {
    ...integrations,
    method: 'GET',
    path: '/integrations',
    access: readAccess,
    summary: 'List the custom integrations of an agent, each with the state of its credential',
    isPaged: true,
    reply: { 200: pagesOf(IntegrationView, 'IntegrationList') },
    view({ document, secrets }) {
      const auth = ({ id }: Item<'integrations'>) => stateOf(secrets('integrations', id).get('authHeader'))
      return { data: document.integrations.map((each) => ({ ...each, auth: auth(each) })) }
    },
  },
  {
    ...integration,
    method: 'GET',
    access: readAccess,
    summary: 'Read a custom integration',
    reply: { 200: Integration },
    errors: ['tool.not_found'],
    view: showIntegration,
  },
  {
    ...integration,
    method: 'PUT',
    access: writeAccess,
    summary: 'Make or replace a custom integration; a header that is left out stays, null clears it',
    body: IntegrationBody,
    bodyAt: 'integration',
    reply: { 200: Integration, 201: Integration },
    errors: ['request.invalid'],
    splitSecrets: splitIntegration,
    write({ document }, { params, body }) {
      const result = putIntegration(document, params.id!, body)
      return isRefusal(result) ? result : { document: result.document, status: result.isNew ? 201 : 200 }
    },
    view: showIntegration,
  },
  {
    ...integration,
    method: 'DELETE',
    access: writeAccess,
    summary: 'Delete a custom integration that nothing names, with its credential',
    reply: { 204: null },
    errors: ['tool.not_found', 'agent.integrity_conflict'],
    write: updates((document, { params }) => removeIntegration(document, params.id!)),
  },
  {
    ...bindings,
    method: 'GET',
    path: '/tool-bindings',
    access: readAccess,
    summary: 'List the tools that an agent is set up with',
    reply: { 200: listOf(ToolBindingView, 'ToolBindingList') },
    view: (context) => ({
      data: context.document.toolBindings.map((toolBinding) => bindingView(context, toolBinding)),
    }),
    complete: completeBindings,
  },
  {
    ...binding,
    method: 'GET',
    access: readAccess,
    summary: 'Read how a tool is set up',
    errors: ['tool.not_found'],
    view: showBinding,
  },
  {
    ...binding,
    method: 'PUT',
    access: writeAccess,
    summary: 'Replace the config of a tool; write-only fields that are left out stay stored',
    body: ToolBindingBody,
    errors: ['request.invalid', 'tool.not_found'],
    lookUp: checkConnection,
    splitSecrets: splitBinding,
    write: writeBinding('replace'),
    view: showBinding,
  },
  {
    ...binding,
    method: 'PATCH',
    access: writeAccess,
    summary: 'Change single fields of the config of a tool; null takes one away',
    body: ToolBindingBody,
    errors: ['request.invalid', 'tool.not_found'],
    lookUp: checkConnection,
    splitSecrets: splitBinding,
    write: writeBinding('merge'),
    view: showBinding,
  },
  {
    ...binding,
    method: 'DELETE',
    access: writeAccess,
    summary: 'Take a tool from an agent, with its secrets',
    reply: { 204: null },
    errors: ['tool.not_found', 'agent.integrity_conflict'],
    write: updates((document, { params }) => removeBinding(document, params.toolId!)),
  },
  ...(['_enable', '_disable'] as const).map(
    (verb): Endpoint => ({
      ...binding,
      method: 'POST',
      path: `/tool-bindings/{toolId}/${verb}`,
      access: writeAccess,
      summary: verb === '_enable' ? 'Switch a tool on again' : 'Switch a tool off, keeping how it is set up',
      errors: ['tool.not_found'],
      write: updates((document, { params }) => setBindingEnabled(document, params.toolId!, verb === '_enable')),
      view: showBinding,
    }),
  ),
]
