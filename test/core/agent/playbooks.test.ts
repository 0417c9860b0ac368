/** Playbooks: one default, uses that exist, flows that can run, and what a PUT keeps. */
import fc from 'fast-check'
import t from 'tap'
import {
  type AgentDocument,
  addPlaybook,
  admit,
  availablePlaybooks,
  emptyDocument,
  findItem,
  importPlaybook,
  lint,
  patchPlaybook,
  playbookView,
  removeOutreach,
  removePlaybook,
  replacePlaybook,
  setDefaultPlaybook,
} from '../../../core/agent/index.js'
import { listCatalog } from '../../../core/catalogs/index.js'
import { isRefusal } from '../../../core/errors.js'
import { errorsOf, must, sample } from './sample.js'

const defaultsOf = ({ playbooks }: AgentDocument) => playbooks.filter(({ isDefault }) => isDefault).map(({ id }) => id)
const added = (document: AgentDocument, body: object) => must(addPlaybook(document, body)).document
const booking = findItem(sample, 'playbooks', 'booking')!

t.test('An omitted id is derived from the name, and a taken one gets a number', async (t) => {
  const one = must(addPlaybook(emptyDocument, { name: 'Réserver un créneau!' }))
  t.equal(one.id, 'reserver-un-creneau')
  t.equal(must(addPlaybook(one.document, { name: 'Reserver un creneau' })).id, 'reserver-un-creneau-2')
  t.equal(must(addPlaybook(emptyDocument, { name: '予約' })).id, 'playbook')
  t.same(errorsOf(addPlaybook(one.document, { id: one.id, name: 'X' })), { code: 'request.invalid', fields: ['id'] })
})

t.test('The first playbook is the default, and a later one becomes it when it says so', async (t) => {
  const one = added(emptyDocument, { id: 'a', name: 'A', isDefault: false })
  t.same(defaultsOf(one), ['a'])
  const two = added(one, { id: 'b', name: 'B' })
  t.same(defaultsOf(two), ['a'])
  t.same(defaultsOf(added(two, { id: 'c', name: 'C', isDefault: true })), ['c'])
})

t.test('Deleting the default promotes the next playbook that no outreach owns', async (t) => {
  const three = ['a', 'b', 'c'].reduce((document, id) => added(document, { id, name: id }), emptyDocument)
  t.same(defaultsOf(must(removePlaybook(three, 'a'))), ['b'])
  t.same(defaultsOf(must(removePlaybook(must(setDefaultPlaybook(three, 'b')), 'b'))), ['c'])
  t.same(
    defaultsOf(must(removePlaybook(must(setDefaultPlaybook(three, 'c')), 'c'))),
    ['a'],
    'after the last comes the first',
  )
  const owned = must(removePlaybook(must(removePlaybook(sample, 'booking')), 'front-desk'))
  t.same(defaultsOf(owned), [], 'an owned one never becomes it')
  t.same(errorsOf(removePlaybook(sample, 'gone'))?.code, 'resource.not_found')
})

t.test('_setDefault moves the default, never to a playbook that an outreach owns', async (t) => {
  t.same(defaultsOf(must(setDefaultPlaybook(sample, 'booking'))), ['booking'])
  t.equal(must(setDefaultPlaybook(sample, 'front-desk')).playbooks[1], sample.playbooks[1], 'others are untouched')
  t.same(errorsOf(setDefaultPlaybook(sample, 'invite')), { code: 'request.invalid', fields: ['isDefault'] })
  t.same(errorsOf(patchPlaybook(sample, 'invite', { isDefault: true })), {
    code: 'request.invalid',
    fields: ['isDefault'],
  })
  t.same(errorsOf(patchPlaybook(sample, 'front-desk', { isDefault: false })), {
    code: 'request.invalid',
    fields: ['isDefault'],
  })
})

t.test('After any changes exactly one playbook is the default, if there are playbooks', async () => {
  const edit = fc.tuple(
    fc.constantFrom('add', 'default', 'remove', 'patch', 'import'),
    fc.constantFrom('a', 'b', 'c', 'booking'),
    fc.boolean(),
  )
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 12 }), (edits) => {
      let document = emptyDocument
      for (const [what, id, isDefault] of edits) {
        const outcome =
          what === 'add'
            ? addPlaybook(document, { id, name: id, isDefault })
            : what === 'default'
              ? setDefaultPlaybook(document, id)
              : what === 'remove'
                ? removePlaybook(document, id)
                : what === 'import'
                  ? importPlaybook(document, '@svc/playbook.booking')
                  : patchPlaybook(document, id, { isDefault })
        if (isRefusal(outcome)) continue
        document = 'document' in outcome ? (outcome.document as AgentDocument) : outcome
        if (document.playbooks.length > 0 && defaultsOf(document).length !== 1) return false
      }
      return true
    }),
    { numRuns: 300 },
  )
})

t.test(
  'Uses: an unknown id is 422 with the vocabulary, duplicates are removed, omitted stays, [] clears',
  async (t) => {
    const refused = patchPlaybook(sample, 'booking', { uses: ['scheduling', 'magic', 'integration:gone'] })
    t.match(refused, {
      refused: 'agent.playbook.uses_unknown',
      extra: {
        title:
          'There is no capability magic, integration:gone; a playbook uses scheduling, people, notify, knowledge, integration:crm',
      },
      errors: [{ field: 'uses[1]' }, { field: 'uses[2]' }],
    })
    const patch = (body: object) =>
      findItem(must(patchPlaybook(sample, 'front-desk', body)), 'playbooks', 'front-desk')?.uses
    t.same(patch({ uses: ['people', 'knowledge', 'people'] }), ['people', 'knowledge'])
    t.same(patch({ name: 'Desk' }), ['scheduling', 'people', 'notify', 'integration:crm'])
    t.same(patch({ uses: [] }), [])
    const replaced = must(replacePlaybook(sample, 'front-desk', { name: 'Desk' }))
    t.same(findItem(replaced, 'playbooks', 'front-desk')?.uses, ['scheduling', 'people', 'notify', 'integration:crm'])
  },
)

t.test('POST and import fill omitted uses with all available ones, as an explicit list', async (t) => {
  const { document, id } = must(addPlaybook(sample, { name: 'New' }))
  t.same(findItem(document, 'playbooks', id)?.uses, ['scheduling', 'people', 'notify', 'integration:crm'])
  t.same(findItem(added(sample, { id: 'x', name: 'X', uses: [] }), 'playbooks', 'x')?.uses, [])
  const copy = must(importPlaybook(sample, '@svc/playbook.booking'))
  t.same(findItem(copy.document, 'playbooks', copy.id)?.uses, ['scheduling', 'people', 'notify', 'integration:crm'])
})

t.test('Procedures are retired: POST, PUT and PATCH carrying them are 422', async (t) => {
  for (const outcome of [
    addPlaybook(sample, { name: 'X', procedures: [] }),
    replacePlaybook(sample, 'booking', { name: 'X', procedures: 'text' }),
    patchPlaybook(sample, 'booking', { procedures: null }),
  ]) {
    t.match(outcome, { refused: 'request.invalid', errors: [{ field: 'procedures', message: /belongs in body/ }] })
  }
})

t.test('PUT of a GET changes nothing, and so does an empty PATCH', async (t) => {
  for (const playbook of sample.playbooks) {
    t.same(
      must(replacePlaybook(sample, playbook.id, JSON.parse(JSON.stringify(playbookView(playbook))))),
      sample,
      playbook.id,
    )
    t.same(must(patchPlaybook(sample, playbook.id, {})), sample)
  }
})

t.test('PUT resets omitted fields, and keeps the flow, the origin and the owner', async (t) => {
  const imported = must(importPlaybook(sample, '@svc/playbook.booking'))
  const after = must(replacePlaybook(imported.document, imported.id, { name: 'Mine' }))
  const { derivedFrom } = findItem(imported.document, 'playbooks', imported.id)!
  t.match(findItem(after, 'playbooks', imported.id), { name: 'Mine', body: '', derivedFrom })
  t.notOk('examples' in findItem(after, 'playbooks', imported.id)!)
  t.same(findItem(must(replacePlaybook(sample, 'booking', { name: 'B' })), 'playbooks', 'booking')?.flow, booking.flow)
  const stolen = must(
    replacePlaybook(sample, 'invite', {
      name: 'I',
      outreachId: 'other',
      derivedFrom: { templateId: '@svc/playbook.x', version: '9' },
    }),
  )
  t.same(findItem(stolen, 'playbooks', 'invite')?.outreachId, 'come-back')
  t.notOk('derivedFrom' in findItem(stolen, 'playbooks', 'invite')!)
})

t.test('A flow of null clears it, on PUT and PATCH', async (t) => {
  for (const write of [patchPlaybook, replacePlaybook]) {
    t.notOk('flow' in findItem(must(write(sample, 'booking', { name: 'B', flow: null })), 'playbooks', 'booking')!)
  }
})

t.test('Editing the body without the flow leaves the flow and raises flow.body.stale', async (t) => {
  const after = must(patchPlaybook(sample, 'booking', { body: 'Something else.' }))
  t.same(findItem(after, 'playbooks', 'booking')?.flow, booking.flow)
  t.same(
    lint(after).warnings.map(({ code, path }) => [code, path]),
    [['flow.body.stale', 'playbooks[1].flow']],
  )
  const { generatedFrom: _old, ...flow } = booking.flow!
  const repeated = must(patchPlaybook(after, 'booking', { flow }))
  t.same(lint(repeated).warnings, [], 'a flow that is sent anew belongs to the body of now')
})

t.test('A flow that cannot run refuses the write with each finding', async (t) => {
  const refused = patchPlaybook(sample, 'booking', { flow: { steps: [{ say: 'template:gone' }, { collect: 'x' }] } })
  t.match(refused, {
    refused: 'agent.playbook.flow_invalid',
    errors: [
      { field: 'playbooks[1].flow.steps[0].say', code: 'flow.template.unknown' },
      { field: 'playbooks[1].flow.steps[1].collect', code: 'flow.slot.unknown' },
    ],
  })
  const dropped = patchPlaybook(sample, 'booking', { uses: [] })
  t.match(dropped, {
    refused: 'agent.playbook.flow_invalid',
    errors: [{ code: 'flow.action.capability.missing' }, { code: 'flow.action.capability.missing' }],
  })
})

t.test('Every kind of step and every type of slot is accepted', async (t) => {
  const types = ['string', 'email', 'phone', 'number', 'date', 'timeslot', 'enum', 'boolean']
  const flow = {
    id: 'all',
    name: 'All',
    description: 'Everything.',
    slots: types.map((type) => ({
      name: type,
      type,
      required: true,
      prompt: 'Which?',
      confirm: true,
      ...(type === 'enum' && { options: ['a'] }),
      ...(type === 'timeslot' && { source: 'scheduling.availability' }),
    })),
    steps: [
      { id: 'first', collect: types },
      { collect: 'string' },
      { say: 'Hello {string}' },
      { say: { text: 'Hello', suggestions: ['One', 'Two', 'Three', 'Four'] } },
      {
        action: 'people.save',
        with: { name: '{string}', nested: [{ mail: '{email}' }] },
        confirm: 'Save?',
        on_error: 'handoff',
      },
      { branch: [{ if: 'boolean', goto: 'last' }], else: 'first' },
      { id: 'last', call: 'booking' },
      { end: { outcome: 'done', handoff: 'human' } },
    ],
    onComplete: 'end',
    allowDigressions: true,
    generatedFrom: { bodyHash: 'x', by: 'me', at: '2030-01-01T00:00:00Z', model: 'm' },
  }
  const { document, id } = must(addPlaybook(sample, { name: 'All', flow }))
  t.same(findItem(document, 'playbooks', id)?.flow, flow)
  t.same(lint(document).errors, [])
  t.equal(
    errorsOf(addPlaybook(sample, { name: 'X', flow: { steps: [{ dance: 1 }] } }))?.fields[0],
    'flow.steps[0].dance',
  )
})

t.test('A playbook created for an outreach is owned by it, never the default, and deleted with it', async (t) => {
  const { document, id } = must(addPlaybook(emptyDocument, { name: 'Invite', outreachId: 'ignored' }, 'win-back'))
  t.match(findItem(document, 'playbooks', id), { outreachId: 'win-back', isDefault: false })
  t.same(errorsOf(addPlaybook(sample, { name: 'X', isDefault: true }, 'win-back'))?.fields, ['isDefault'])
  t.notOk('outreachId' in findItem(added(sample, { id: 'x', name: 'X', outreachId: 'come-back' }), 'playbooks', 'x')!)
  const after = must(admit(sample, removeOutreach(sample, 'come-back')))
  t.same([after.outreach.length, findItem(after, 'playbooks', 'invite')], [0, undefined])
  t.equal(errorsOf(removeOutreach(sample, 'gone'))?.code, 'agent.outreach.not_found')
})

t.test('An owned playbook is offered only in the conversations of its outreach', async (t) => {
  t.same(
    availablePlaybooks(sample).map(({ id }) => id),
    ['front-desk', 'booking'],
  )
  t.same(
    availablePlaybooks(sample, 'come-back').map(({ id }) => id),
    ['front-desk', 'booking', 'invite'],
  )
})

t.test('Every playbook of the catalog can be imported twice, stamped with its origin', async (t) => {
  for (const template of listCatalog('playbook-templates')) {
    const one = must(importPlaybook(emptyDocument, template.id))
    const two = must(importPlaybook(one.document, template.id))
    t.same(
      two.document.playbooks.map(({ derivedFrom }) => derivedFrom),
      Array(2).fill({ templateId: template.id, version: template.version }),
    )
    t.not(one.id, two.id)
    t.same(lint(two.document).errors, [], template.id)
  }
  t.equal(errorsOf(importPlaybook(emptyDocument, '@svc/playbook.gone'))?.code, 'resource.not_found')
})

t.test('DELETE of a playbook in use is a conflict, unless only the playbook itself refers to it', async (t) => {
  for (const id of ['front-desk', 'booking', 'invite']) {
    t.equal(errorsOf(admit(sample, removePlaybook(sample, id)))?.code, 'agent.integrity_conflict', id)
  }
  const looping = added(sample, {
    id: 'self',
    name: 'Self',
    flow: { steps: [{ end: { outcome: 'x', handoff: 'self' } }] },
  })
  t.equal(errorsOf(admit(looping, removePlaybook(looping, 'self'))), undefined)
})
