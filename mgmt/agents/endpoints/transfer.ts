/** Endpoints of the agent as a whole: lint, templates and their updates, export and import. */
import Type from 'typebox'
import { authorize, type Member } from '../../../core/access.js'
import {
  type AgentExport,
  addressesToImport,
  applyTemplateInSteps,
  applyUpdate,
  exportDocument,
  exportFormat,
  importDocumentInSteps,
  lintInSteps,
  listSections,
  singleSections,
  updatesOf,
} from '../../../core/agent/index.js'
import { closedObject, optional, orNull } from '../../../core/agent/resources/schemas.js'
import { updateKinds } from '../../../core/agent/updates.js'
import { isRefusal, type Refusal } from '../../../core/errors.js'
import { agentDocument as limits } from '../../../core/limits/index.js'
import {
  type Endpoint,
  type EndpointLookups,
  type EndpointRequest,
  type GeocodedAddresses,
  type ReadContext,
  updates,
  updatesInSteps,
} from '../endpoint.js'
import { parsePhone } from '../phone.js'
import { Agent, applyAccess, readAccess, routeDefaults, writeAccess } from '../schema.js'
import { agentView } from '../store.js'
import { importAddressesEndpoint } from './internal.js'
import { TemplateBody } from './template.js'

const documentDefaults = { tag: routeDefaults.tag, sections: 'all' } as const

const Finding = closedObject('LintFinding', {
  code: Type.String(),
  path: Type.String({ description: 'Where it stands in the document.' }),
  message: Type.String(),
  fix: Type.String({ description: 'What would put it right.' }),
})
const Findings = closedObject('LintFindings', {
  errors: Type.Array(Finding),
  warnings: Type.Array(Finding),
  advice: Type.Array(Finding),
})

const Updates = closedObject('TemplateUpdates', {
  data: Type.Array(
    closedObject('TemplateUpdate', {
      kind: Type.Enum([...updateKinds]),
      id: Type.String(),
      name: Type.String(),
      templateId: Type.String(),
      currentVersion: Type.String(),
      latestVersion: orNull(Type.String()),
      updateAvailable: Type.Boolean(),
      templateMissing: Type.Boolean(),
    }),
  ),
  updateCount: Type.Integer(),
})
const UpdateBody = closedObject('TemplateUpdateBody', {
  kind: Type.Enum([...updateKinds]),
  id: optional(Type.String({ minLength: 1, maxLength: 200, description: 'A personality needs none.' })),
})

const Applied = closedObject('AppliedTemplate', {
  agent: Agent,
  appliedFrom: closedObject('AppliedFrom', { templateId: Type.String(), templateName: Type.String() }),
  applied: Type.Array(Type.String(), { description: 'Sections that were replaced.' }),
  skipped: Type.Array(Type.String(), { description: 'Sections of the template that an agent does not take.' }),
})

const { sources: _sources, media: _media, ...lists } = listSections
const { goals, objectives, playbooks, rules, messageTemplates, toolBindings, outreach } = lists
const { identity, personality, defaultGoal, standingInstructions, guardrails, scheduling, notifications } =
  singleSections
const Export = closedObject('AgentExport', {
  format: Type.Literal(exportFormat),
  identity: optional(identity),
  personality: optional(personality),
  goals,
  defaultGoal: optional(defaultGoal),
  objectives,
  playbooks,
  standingInstructions,
  guardrails: optional(guardrails),
  rules,
  messageTemplates,
  toolBindings,
  capabilities: closedObject('ExportedCapabilities', {
    knowledge: closedObject('ExportedKnowledge', {
      collections: lists.collections,
      things: lists.things,
      facts: lists.facts,
    }),
    scheduling: optional(scheduling),
    notifications: optional(notifications),
    people: optional(
      closedObject(
        'ExportedPeople',
        { fields: lists.peopleFields, segments: lists.segments },
        {
          description: 'Only for callers that hold people:read; importing it takes people:write.',
        },
      ),
    ),
  }),
  integrations: closedObject('ExportedIntegrations', { custom: lists.integrations }),
  outreach,
  templateRef: optional(singleSections.templateRef),
})

/** Members of an agent's view besides its sections, and the places of sections in older exports. */
const ignoredFields = ['id', 'orgId', 'name', 'description', 'framework', 'createdAt', 'updatedAt', 'exportedAt']
const legacyFields = ['things', 'products', 'collections', 'facts', 'faqs', 'scheduling', 'notifications']
const importable = [...Object.keys(Export.properties), ...ignoredFields, ...legacyFields]

/** The import itself validates each section. */
const anyValue = optional(Type.Unsafe<unknown>({}))
const Import = closedObject(
  'AgentImport',
  Object.fromEntries(importable.map((member) => [member, anyValue])) as Record<string, typeof anyValue>,
  { description: 'Shaped like an export; the sections that are left out stay as they are.' },
)

const showUpdates = ({ document }: ReadContext) => updatesOf(document)
const showExport = ({ document }: ReadContext) => exportDocument(document)

/** Fields and segments of people take the same scopes as their own routes. */
function permitPeople(caller: Member, { body }: EndpointRequest): Refusal | undefined {
  const { capabilities } = (body ?? {}) as { capabilities?: { people?: unknown } | null }
  return capabilities?.people === undefined ? undefined : authorize(caller, 'viewer', ['people:write'])
}

function withPeopleFor({ scopes }: Member, view: unknown): unknown {
  if (scopes.has('people:read')) return view
  const { capabilities, ...others } = view as AgentExport
  const { people: _hidden, ...visible } = capabilities
  return { ...others, capabilities: visible }
}

/** Geocodes the addresses of things as `PUT A/knowledge/things` does. */
async function geocodeImport(
  { params, query, body, isShaped }: EndpointRequest,
  { view, geocode }: EndpointLookups,
): Promise<GeocodedAddresses | Refusal> {
  if (!geocode || addressesToImport(body, isShaped).length === 0) return []
  const addresses = (await view(importAddressesEndpoint, { params, query, body, isShaped })) as
    | readonly string[]
    | Refusal
  return isRefusal(addresses) ? addresses : geocode(addresses)
}

export const transferEndpoints: readonly Endpoint[] = [
  {
    ...documentDefaults,
    method: 'GET',
    path: '/lint',
    access: readAccess,
    summary: 'Read everything that is wrong or doubtful about an agent',
    reply: { 200: Findings },
    viewInSteps: ({ document, isManaged }) => lintInSteps(document, { isManaged: isManaged() }),
    viewExceedsTag: true,
  },
  {
    ...documentDefaults,
    method: 'POST',
    path: '/apply-template',
    access: applyAccess,
    summary: 'Apply an agent template: the sections it carries replace those of the agent',
    body: TemplateBody,
    reply: { 200: Applied },
    errors: ['request.invalid', 'agent.integrity_conflict'],
    *write({ document, index }, { body }) {
      const { templateId } = body as { templateId: string }
      const applied = yield* applyTemplateInSteps(document, templateId, index)
      if (isRefusal(applied)) return applied
      const { document: after, ...viewExtra } = applied
      return { document: after, viewExtra }
    },
    view: ({ agent }, { result }) => ({ agent: agentView(agent), ...result?.viewExtra }),
  },
  {
    ...documentDefaults,
    method: 'GET',
    path: '/updates',
    sections: ['personality', 'objectives', 'playbooks'],
    access: readAccess,
    summary: 'List what was copied from the catalog, and which of it has a newer version',
    reply: { 200: Updates },
    view: showUpdates,
    viewExceedsTag: true,
  },
  {
    ...documentDefaults,
    method: 'POST',
    path: '/updates/apply',
    sections: ['personality', 'objectives', 'playbooks'],
    access: writeAccess,
    summary: 'Bring one piece up to the version of the catalog; what belongs to the agent stays',
    body: UpdateBody,
    reply: { 200: Updates },
    errors: ['request.invalid', 'agent.integrity_conflict'],
    write: updates((document, { body }) => {
      const { kind, id } = body as { kind: string; id?: string }
      return applyUpdate(document, kind, id)
    }),
    view: showUpdates,
  },
  {
    ...documentDefaults,
    method: 'GET',
    path: '/export',
    access: readAccess,
    summary: 'Read an agent as one document that can be imported elsewhere',
    query: Type.Object(
      { format: Type.Optional(Type.Enum(['yaml', 'json'], { description: 'YAML, unless JSON alone is accepted.' })) },
      { additionalProperties: false },
    ),
    yaml: 'reply',
    reply: { 200: Export },
    view: showExport,
    visibleTo: withPeopleFor,
  },
  {
    ...documentDefaults,
    method: 'POST',
    path: '/import',
    access: writeAccess,
    summary: 'Import a document: the sections that are present replace those of the agent, all or none',
    body: Import,
    yaml: 'body',
    bodyLimitBytes: limits.yamlBytes,
    bodyDepth: limits.importDepth,
    longBody: 'import',
    reply: { 200: Export },
    errors: [
      'request.invalid',
      'agent.integrity_conflict',
      'goal.unknown',
      'agent.playbook.uses_unknown',
      'agent.playbook.flow_invalid',
    ],
    permit: permitPeople,
    lookUp: geocodeImport,
    write: updatesInSteps((document, { body, lookup, isShaped }, { index, draftCampaigns }) => {
      const readers = { phone: parsePhone, geocoded: new Map((lookup as GeocodedAddresses | undefined) ?? []) }
      return importDocumentInSteps(document, body, readers, index, isShaped, draftCampaigns())
    }),
    view: showExport,
    visibleTo: withPeopleFor,
  },
]
