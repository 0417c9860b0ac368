/** What an agent can do beyond talking: scheduling, notifications, integrations of its own, and tools of the catalog. */
import Type from 'typebox'
import {
  bindingRemoved,
  bindingSwitched,
  bindingWritten,
  configStatus,
  emptyDocument,
  find,
  type Item,
  integrationPut,
  integrationRemoved,
  isSecretField,
  notificationsReplaced,
  schedulingReplaced,
  schedulingView,
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
import { anyObject, closed, optional, record } from '../../../core/agent/resources/words.js'
import { type Standing, standings } from '../../../core/connections/status.js'
import { invalid, isRefusal, type Refusal, refuse } from '../../../core/errors.js'
import { agentLimits } from '../../../core/limits.js'
import { type Asked, becomes, type Parted, type Resource, type Seen, type Wrote } from '../resource.js'
import { agentParams, listOf, pagesOf, reading, writing } from '../schema.js'
import { stateOf } from '../secrets.js'
import { checkConnection, completeBinding, completeBindings } from './toolconnections.js'

const tag = 'Agent capabilities'
const noTool = refuse('tool.not_found')

type Members = Readonly<Record<string, unknown>>

function without(body: unknown, names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(body as Members).filter(([name]) => !names.includes(name)))
}

const scheduling = { tag, path: '/scheduling', of: ['scheduling'], reply: { 200: Scheduling } } as const
const showScheduling = ({ document }: Seen) => schedulingView(document)

const notifications = { tag, path: '/notifications', of: ['notifications'], reply: { 200: NotificationsView } } as const
function showNotifications({ document, secrets }: Seen) {
  const stored = secrets('notifications')
  const states = notificationSecrets.map((name) => [name, stateOf(stored.get(name))])
  return { ...document.notifications, secrets: Object.fromEntries(states) }
}

function partNotifications({ body }: Asked): Parted | Refusal {
  const judged = notificationsReplaced(emptyDocument, body)
  if (isRefusal(judged)) return judged
  const { secrets } = judged
  return { section: 'notifications', item: '', secrets, body: without(body, notificationSecrets) }
}

/** Longer than an id may be, and of any characters: what is wrong with one is said by name. */
const id = Type.String({ minLength: 1, maxLength: agentLimits.facts.idChars })
const integrations = { tag, of: ['integrations'] } as const
const integration = { ...integrations, path: '/integrations/{id}', params: agentParams({ id }) } as const
const showIntegration = ({ document }: Seen, { params }: Asked) => find(document, 'integrations', params.id!) ?? noTool

function partIntegration({ params, body }: Asked): Parted | Refusal {
  const judged = integrationPut(emptyDocument, params.id!, body)
  if (isRefusal(judged)) return judged
  const { authHeader } = judged
  const secrets = authHeader === undefined ? {} : { authHeader }
  return { section: 'integrations', item: params.id!, secrets, body: without(body, ['authHeader']) }
}

const secretState = closed('ToolSecretState', { set: Type.Boolean(), last4: optional(Type.String()) })
const ToolBindingView = closed('ToolBindingView', {
  toolId: Type.String(),
  enabled: Type.Boolean(),
  config: anyObject(),
  secrets: record(secretState, { description: 'Write-only fields that are stored, by name.' }),
  configStatus: closed('ToolConfigStatus', {
    complete: Type.Boolean(),
    missing: Type.Array(Type.String(), {
      description: 'Required fields that are not there; `connectionId` where its connection has to be connected again.',
    }),
    connection: optional(
      closed(
        'ToolConnectionStatus',
        { id: Type.String(), status: Type.Unsafe<Standing>({ type: 'string', enum: [...standings] }) },
        { description: 'The connection that the config names, where it is missing or not connected.' },
      ),
    ),
  }),
})
const ToolBindingBody = closed('ToolBindingBody', {
  toolId: optional(Type.String()),
  enabled: optional(Type.Boolean()),
  config: anyObject({ description: 'As the config schema of the tool in the catalog asks; null takes a field away.' }),
  /** A read, sent back as it was. */
  secrets: optional(anyObject({ readOnly: true })),
  configStatus: optional(anyObject({ readOnly: true })),
})
interface ToolBindingBody {
  readonly toolId?: string
  readonly enabled?: boolean
  readonly config: Members
}

const bindings = { tag, of: ['toolBindings'] } as const
const binding = {
  ...bindings,
  path: '/tool-bindings/{toolId}',
  reply: { 200: ToolBindingView },
  complete: completeBinding,
} as const

function bindingView({ secrets }: Seen, kept: Item<'toolBindings'>) {
  const { toolId, enabled = true, config } = kept
  const stored = secrets('toolBindings', toolId)
  const states = Array.from(stored, ([name, secret]) => [name, stateOf(secret)])
  const status = configStatus(kept, new Set(stored.keys()))
  return { toolId, enabled, config, secrets: Object.fromEntries(states), configStatus: status }
}

function showBinding(seen: Seen, { params }: Asked) {
  const kept = find(seen.document, 'toolBindings', params.toolId!)
  return kept ? bindingView(seen, kept) : noTool
}

function partBinding({ params, body }: Asked): Parted | Refusal {
  const toolId = params.toolId!
  const { toolId: sent = toolId, config } = body as ToolBindingBody
  if (sent !== toolId) return invalid('toolId', 'must be the id of the path')
  const judged = bindingWritten(emptyDocument, toolId, config, 'replace')
  if (isRefusal(judged)) return judged
  const plain = Object.entries(config).filter(([name]) => !isSecretField(toolId, name))
  const left = { ...(body as Members), config: Object.fromEntries(plain) }
  return { section: 'toolBindings', item: toolId, secrets: judged.secrets, body: left }
}

function writeBinding(how: 'replace' | 'merge'): Resource['write'] {
  return ({ document }, { params, body }): Wrote | Refusal => {
    const { config, enabled } = body as ToolBindingBody
    const written = bindingWritten(document, params.toolId!, config, how)
    if (isRefusal(written) || enabled === undefined) return written
    const switched = bindingSwitched(written.document, params.toolId!, enabled)
    return isRefusal(switched) ? switched : { document: switched }
  }
}

export const capabilityResources: readonly Resource[] = [
  { ...scheduling, method: 'GET', access: reading, summary: 'Read how an agent schedules', view: showScheduling },
  {
    ...scheduling,
    method: 'PUT',
    access: writing,
    summary: 'Replace how an agent schedules; what is left out is gone',
    body: SchedulingBody,
    bodyAt: 'scheduling',
    errors: ['request.invalid'],
    write: becomes((document, { body }) => schedulingReplaced(document, body)),
    view: showScheduling,
  },
  {
    ...notifications,
    method: 'GET',
    access: reading,
    summary: 'Read how the team is notified, and which secrets are stored',
    view: showNotifications,
  },
  {
    ...notifications,
    method: 'PUT',
    access: writing,
    summary: 'Replace how the team is notified; a secret that is left out stays, null clears it',
    body: NotificationsBody,
    bodyAt: 'notifications',
    errors: ['request.invalid'],
    part: partNotifications,
    write({ document }, { body }) {
      const written = notificationsReplaced(document, body)
      return isRefusal(written) ? written : { document: written.document }
    },
    view: showNotifications,
  },
  {
    ...integrations,
    method: 'GET',
    path: '/integrations',
    access: reading,
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
    access: reading,
    summary: 'Read a custom integration',
    reply: { 200: Integration },
    errors: ['tool.not_found'],
    view: showIntegration,
  },
  {
    ...integration,
    method: 'PUT',
    access: writing,
    summary: 'Make or replace a custom integration; a header that is left out stays, null clears it',
    body: IntegrationBody,
    bodyAt: 'integration',
    reply: { 200: Integration, 201: Integration },
    errors: ['request.invalid'],
    part: partIntegration,
    write({ document }, { params, body }) {
      const written = integrationPut(document, params.id!, body)
      return isRefusal(written) ? written : { document: written.document, status: written.isNew ? 201 : 200 }
    },
    view: showIntegration,
  },
  {
    ...integration,
    method: 'DELETE',
    access: writing,
    summary: 'Delete a custom integration that nothing names, with its credential',
    reply: { 204: null },
    errors: ['tool.not_found', 'agent.integrity_conflict'],
    write: becomes((document, { params }) => integrationRemoved(document, params.id!)),
  },
  {
    ...bindings,
    method: 'GET',
    path: '/tool-bindings',
    access: reading,
    summary: 'List the tools that an agent is set up with',
    reply: { 200: listOf(ToolBindingView, 'ToolBindingList') },
    view: (seen) => ({ data: seen.document.toolBindings.map((kept) => bindingView(seen, kept)) }),
    complete: completeBindings,
  },
  {
    ...binding,
    method: 'GET',
    access: reading,
    summary: 'Read how a tool is set up',
    errors: ['tool.not_found'],
    view: showBinding,
  },
  {
    ...binding,
    method: 'PUT',
    access: writing,
    summary: 'Replace the config of a tool; write-only fields that are left out stay stored',
    body: ToolBindingBody,
    errors: ['request.invalid', 'tool.not_found'],
    lookUp: checkConnection,
    part: partBinding,
    write: writeBinding('replace'),
    view: showBinding,
  },
  {
    ...binding,
    method: 'PATCH',
    access: writing,
    summary: 'Change single fields of the config of a tool; null takes one away',
    body: ToolBindingBody,
    errors: ['request.invalid', 'tool.not_found'],
    lookUp: checkConnection,
    part: partBinding,
    write: writeBinding('merge'),
    view: showBinding,
  },
  {
    ...binding,
    method: 'DELETE',
    access: writing,
    summary: 'Take a tool from an agent, with its secrets',
    reply: { 204: null },
    errors: ['tool.not_found', 'agent.integrity_conflict'],
    write: becomes((document, { params }) => bindingRemoved(document, params.toolId!)),
  },
  ...(['_enable', '_disable'] as const).map(
    (verb): Resource => ({
      ...binding,
      method: 'POST',
      path: `/tool-bindings/{toolId}/${verb}`,
      access: writing,
      summary: verb === '_enable' ? 'Switch a tool on again' : 'Switch a tool off, keeping how it is set up',
      errors: ['tool.not_found'],
      write: becomes((document, { params }) => bindingSwitched(document, params.toolId!, verb === '_enable')),
      view: showBinding,
    }),
  ),
]
