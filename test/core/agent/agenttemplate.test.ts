/** Agent templates and updates: sections replaced as a whole, pieces brought up to date, everything local kept. */
import t from 'tap'
import {
  applyTemplate,
  applyUpdate,
  emptyDocument,
  exportDocument,
  findItem,
  importDocument,
  importPlaybook,
  lint,
  updatesOf,
  withItem,
  withSection,
} from '../../../core/agent/index.js'
import { listCatalog } from '../../../core/catalogs/index.js'
import { errorsOf, must, readers, sample } from './sample.js'

t.test('Every agent template creates a complete agent: one default, no errors, origins on record', async (t) => {
  for (const template of listCatalog('agent-templates')) {
    const { document, appliedFrom, applied, skipped } = must(applyTemplate(emptyDocument, template.id))
    t.same(appliedFrom, { templateId: template.id, templateName: template.name })
    t.equal(document.playbooks.filter(({ isDefault }) => isDefault).length, 1, template.id)
    t.same(lint(document).errors, [])
    t.same(document.templateRef, { templateId: template.id, version: template.version })
    const pieces = [...document.playbooks, ...document.objectives, document.personality!]
    t.ok(pieces.every(({ derivedFrom }) => derivedFrom !== undefined))
    t.ok(applied.includes('playbooks') && !applied.includes('toolBindings'))
    t.equal(skipped.includes('skills'), template.skillTemplateIds !== undefined)
    const copy = must(importDocument(emptyDocument, JSON.parse(JSON.stringify(exportDocument(document))), readers))
    t.equal(JSON.stringify(exportDocument(copy)), JSON.stringify(exportDocument(document)), 'and it travels')
  }
})

const free = { ...sample, facts: [], scheduling: undefined }

t.test('Sections that the template lacks stay: identity except its preamble, tools, knowledge, outreach', async (t) => {
  const { document } = must(applyTemplate(free, '@svc/agent.clinic'))
  for (const section of ['things', 'toolBindings', 'outreach', 'goals', 'rules', 'messageTemplates'] as const) {
    t.equal(document[section], free[section], section)
  }
  t.match(document.identity, sample.identity)
  t.ok(document.identity?.identityPreamble)
  t.ok(findItem(document, 'playbooks', 'invite'), 'a playbook stays with its outreach')
  t.notOk(findItem(document, 'playbooks', 'booking')?.flow, 'the section is replaced')
})

t.test('A template that would remove a referenced item is refused with 409', async (t) => {
  const scoped = withItem(sample, 'facts', { ...sample.facts[0]!, scope: { playbooks: ['front-desk-old'] } })
  const named = withItem(scoped, 'playbooks', { ...sample.playbooks[0]!, id: 'front-desk-old', isDefault: false })
  t.same(errorsOf(applyTemplate(named, '@svc/agent.clinic')), {
    code: 'agent.integrity_conflict',
    fields: ['facts[0].scope.playbooks[0]'],
  })
  t.equal(errorsOf(applyTemplate(sample, '@svc/agent.gone'))?.code, 'resource.not_found')
})

const [personality] = listCatalog('personality-templates')
const old = must(importPlaybook(sample, '@svc/playbook.faq'))
const faq = findItem(old.document, 'playbooks', old.id)!
const outdated = withSection(
  withItem(
    withItem(old.document, 'playbooks', {
      ...faq,
      body: 'Old.',
      uses: ['people'],
      derivedFrom: { templateId: '@svc/playbook.faq', version: '0.9.0' },
    }),
    'playbooks',
    {
      ...sample.playbooks[0]!,
      derivedFrom: { templateId: '@svc/playbook.gone', version: '1.0.0' },
    },
  ),
  'personality',
  { text: 'Mine.', derivedFrom: { templateId: personality!.id, version: '0.1.0' } },
)

t.test('Updates list each copied item, its version, and whether there is a newer one', async (t) => {
  const { data, updateCount } = updatesOf(outdated)
  t.equal(updateCount, 2)
  t.match(
    data.find(({ kind }) => kind === 'personality'),
    {
      templateId: personality!.id,
      currentVersion: '0.1.0',
      latestVersion: personality!.version,
      updateAvailable: true,
      templateMissing: false,
    },
  )
  t.match(
    data.find(({ id }) => id === 'front-desk'),
    { updateAvailable: false, templateMissing: true, latestVersion: null },
  )
  t.same(updatesOf(sample), { data: [], updateCount: 0 })
  const fresh = updatesOf(must(applyTemplate(emptyDocument, '@svc/agent.clinic')).document)
  t.equal(fresh.updateCount, 0)
  t.same([...new Set(fresh.data.map(({ kind }) => kind))], ['personality', 'objective', 'playbook'])
})

t.test('Applying an update copies the content again and keeps the agent’s own fields', async (t) => {
  const after = must(applyUpdate(outdated, 'playbook', old.id))
  t.same(findItem(after, 'playbooks', old.id), { ...faq, uses: ['people'] })
  t.equal(updatesOf(must(applyUpdate(after, 'personality'))).updateCount, 0)
  const objective = must(applyTemplate(emptyDocument, '@svc/agent.clinic')).document
  const piece = objective.objectives[0]!
  const stale = withItem(objective, 'objectives', { ...piece, body: 'Old.' })
  t.same(must(applyUpdate(stale, 'objective', piece.id)), objective)
})

t.test('An update without items is refused', async (t) => {
  t.equal(errorsOf(applyUpdate(sample, 'personality'))?.code, 'resource.not_found')
  t.equal(errorsOf(applyUpdate(outdated, 'playbook', 'front-desk'))?.code, 'resource.not_found')
  t.same(errorsOf(applyUpdate(outdated, 'playbook'))?.fields, ['id'])
  t.same(errorsOf(applyUpdate(outdated, 'mood'))?.fields, ['kind'])
  t.equal(errorsOf(applyUpdate(outdated, 'skill', 'x'))?.code, 'resource.not_found')
})
