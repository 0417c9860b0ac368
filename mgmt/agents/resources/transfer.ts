/** The agent as a whole: what lint says of it, templates and their updates, and carrying it elsewhere. */
import Type from 'typebox'
import { judge, type Member } from '../../../core/access.js'
import {
  type AgentExport,
  addressesToImport,
  applyTemplateInSteps,
  exported,
  exportFormat,
  importInSteps,
  lintInSteps,
  listSections,
  singleSections,
  updateApplied,
  updatesOf,
} from '../../../core/agent/index.js'
import { closed, optional, orNull } from '../../../core/agent/resources/words.js'
import { updateKinds } from '../../../core/agent/updates.js'
import { isRefusal, type Refusal } from '../../../core/errors.js'
import { agentDocument as limits } from '../../../core/limits.js'
import { phoneOf } from '../phone.js'
import { type Asked, becomes, becomesInSteps, type LookUp, type Places, type Resource, type Seen } from '../resource.js'
import { Agent, applying, ofAgents, reading, writing } from '../schema.js'
import { agentAsRead } from '../store.js'
import { importAddressesRow } from './inner.js'
import { TemplateBody } from './template.js'

const whole = { tag: ofAgents.tag, of: 'all' } as const

const Finding = closed('LintFinding', {
  code: Type.String(),
  path: Type.String({ description: 'Where it stands in the document.' }),
  message: Type.String(),
  fix: Type.String({ description: 'What would put it right.' }),
})
const Findings = closed('LintFindings', {
  errors: Type.Array(Finding),
  warnings: Type.Array(Finding),
  advice: Type.Array(Finding),
})

const Updates = closed('TemplateUpdates', {
  data: Type.Array(
    closed('TemplateUpdate', {
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
const UpdateBody = closed('TemplateUpdateBody', {
  kind: Type.Enum([...updateKinds]),
  id: optional(Type.String({ minLength: 1, maxLength: 200, description: 'A personality needs none.' })),
})

const Applied = closed('AppliedTemplate', {
  agent: Agent,
  appliedFrom: closed('AppliedFrom', { templateId: Type.String(), templateName: Type.String() }),
  applied: Type.Array(Type.String(), { description: 'Sections that were replaced.' }),
  skipped: Type.Array(Type.String(), { description: 'Sections of the template that an agent does not take.' }),
})

const { sources: _sources, media: _media, ...lists } = listSections
const { goals, objectives, playbooks, rules, messageTemplates, toolBindings, outreach } = lists
const { identity, personality, defaultGoal, standingInstructions, guardrails, scheduling, notifications } =
  singleSections
const Export = closed('AgentExport', {
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
  capabilities: closed('ExportedCapabilities', {
    knowledge: closed('ExportedKnowledge', {
      collections: lists.collections,
      things: lists.things,
      facts: lists.facts,
    }),
    scheduling: optional(scheduling),
    notifications: optional(notifications),
    people: optional(
      closed(
        'ExportedPeople',
        { fields: lists.peopleFields, segments: lists.segments },
        {
          description: 'Only for callers that hold people:read; importing it takes people:write.',
        },
      ),
    ),
  }),
  integrations: closed('ExportedIntegrations', { custom: lists.integrations }),
  outreach,
  templateRef: optional(singleSections.templateRef),
})

/** What a read of an agent shows beside its sections, and where sections stood in older exports. */
const passedOver = ['id', 'orgId', 'name', 'description', 'framework', 'createdAt', 'updatedAt', 'exportedAt']
const older = ['things', 'products', 'collections', 'facts', 'faqs', 'scheduling', 'notifications']
const importable = [...Object.keys(Export.properties), ...passedOver, ...older]

/** What each section may hold the import itself says. */
const anything = optional(Type.Unsafe<unknown>({}))
const Import = closed(
  'AgentImport',
  Object.fromEntries(importable.map((member) => [member, anything])) as Record<string, typeof anything>,
  { description: 'Shaped like an export; the sections that are left out stay as they are.' },
)

const showUpdates = ({ document }: Seen) => updatesOf(document)
const showExport = ({ document }: Seen) => exported(document)

/** Fields and segments of people take the scopes that their own routes take. */
function permitPeople(caller: Member, { body }: Asked): Refusal | undefined {
  const { capabilities } = (body ?? {}) as { capabilities?: { people?: unknown } | null }
  return capabilities?.people === undefined ? undefined : judge(caller, 'viewer', ['people:write'])
}

function withPeopleFor({ scopes }: Member, view: unknown): unknown {
  if (scopes.has('people:read')) return view
  const { capabilities, ...others } = view as AgentExport
  const { people: _hidden, ...seen } = capabilities
  return { ...others, capabilities: seen }
}

/** The addresses of things are looked up as they are when the things are sent by themselves. */
async function placesOfImport(
  { params, query, body, isShaped }: Asked,
  { view, geocode }: LookUp,
): Promise<Places | Refusal> {
  if (!geocode || addressesToImport(body, isShaped).length === 0) return []
  const addresses = (await view(importAddressesRow, { params, query, body, isShaped })) as readonly string[] | Refusal
  return isRefusal(addresses) ? addresses : geocode(addresses)
}

export const transferResources: readonly Resource[] = [
  {
    ...whole,
    method: 'GET',
    path: '/lint',
    access: reading,
    summary: 'Read everything that is wrong or doubtful about an agent',
    reply: { 200: Findings },
    viewInSteps: ({ document }) => lintInSteps(document),
    isBeyondTag: true,
  },
  {
    ...whole,
    method: 'POST',
    path: '/apply-template',
    access: applying,
    summary: 'Apply an agent template: the sections it carries replace those of the agent',
    body: TemplateBody,
    reply: { 200: Applied },
    errors: ['request.invalid', 'agent.integrity_conflict'],
    *write({ document, index }, { body }) {
      const { templateId } = body as { templateId: string }
      const applied = yield* applyTemplateInSteps(document, templateId, index)
      if (isRefusal(applied)) return applied
      const { document: after, ...told } = applied
      return { document: after, told }
    },
    view: ({ agent }, { wrote }) => ({ agent: agentAsRead(agent), ...wrote?.told }),
  },
  {
    ...whole,
    method: 'GET',
    path: '/updates',
    of: ['personality', 'objectives', 'playbooks'],
    access: reading,
    summary: 'List what was copied from the catalog, and which of it has a newer version',
    reply: { 200: Updates },
    view: showUpdates,
    isBeyondTag: true,
  },
  {
    ...whole,
    method: 'POST',
    path: '/updates/apply',
    of: ['personality', 'objectives', 'playbooks'],
    access: writing,
    summary: 'Bring one piece up to the version of the catalog; what belongs to the agent stays',
    body: UpdateBody,
    reply: { 200: Updates },
    errors: ['request.invalid', 'agent.integrity_conflict'],
    write: becomes((document, { body }) => {
      const { kind, id } = body as { kind: string; id?: string }
      return updateApplied(document, kind, id)
    }),
    view: showUpdates,
  },
  {
    ...whole,
    method: 'GET',
    path: '/export',
    access: reading,
    summary: 'Read an agent as one document that can be imported elsewhere',
    query: Type.Object(
      { format: Type.Optional(Type.Enum(['yaml', 'json'], { description: 'YAML, unless JSON alone is accepted.' })) },
      { additionalProperties: false },
    ),
    yaml: 'reply',
    reply: { 200: Export },
    view: showExport,
    shownTo: withPeopleFor,
  },
  {
    ...whole,
    method: 'POST',
    path: '/import',
    access: writing,
    summary: 'Import a document: the sections that are present replace those of the agent, all or none',
    body: Import,
    yaml: 'body',
    bodyLimitBytes: limits.yamlBytes,
    bodyDepth: limits.importDepth,
    long: 'import',
    reply: { 200: Export },
    errors: [
      'request.invalid',
      'agent.integrity_conflict',
      'goal.unknown',
      'agent.playbook.uses_unknown',
      'agent.playbook.flow_invalid',
    ],
    permit: permitPeople,
    lookUp: placesOfImport,
    write: becomesInSteps((document, { body, found, isShaped }, { index, draftCampaigns }) => {
      const readers = { phone: phoneOf, geocoded: new Map((found as Places | undefined) ?? []) }
      return importInSteps(document, body, readers, index, isShaped, draftCampaigns())
    }),
    view: showExport,
    shownTo: withPeopleFor,
  },
]
