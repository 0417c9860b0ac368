/** Every lint finding: its level and its remedy. Errors in a flow refuse the write of its playbook. */

export type Level = 'error' | 'warning' | 'advice'

interface Code {
  readonly level: Level
  readonly fix: string
}

const error = (fix: string): Code => ({ level: 'error', fix })
const warning = (fix: string): Code => ({ level: 'warning', fix })
const advice = (fix: string): Code => ({ level: 'advice', fix })

const fixUnknownId = 'Name one that exists, or make it first.'
const fixUndeclaredField = 'Declare the field under People fields, or name one that is declared.'
const fixKeyword =
  'Choose another label: on carrier channels this word is taken as a keyword before the agent hears it.'

export const lintCodes = {
  'flow.empty': warning('Add steps, or clear the flow with null.'),
  'flow.step.kind': error('Give the step exactly one kind, and only the members that go with it.'),
  'flow.step.unreachable': warning('Lead a branch to the step, or remove it.'),
  'flow.loop.endless': error('Lead one way out of the loop to an end, a handoff or a later step.'),
  'flow.loop.idle': warning('Collect something or act inside the loop, so that its condition can change.'),
  'flow.goto.unknown': error('Give the step that is meant this id, or lead to one that exists.'),
  'flow.slot.unknown': error('Add the slot to the flow, or collect one that it has.'),
  'flow.slot.duplicate': error('Give each slot a name of its own.'),
  'flow.slot.options': error('Give a slot of type enum its options, or a source of them.'),
  'flow.slot.validate': error('Write a plain expression between slashes: no look-around, no references back.'),
  'flow.slot.predicate': warning('Use a predicate that is known, or an expression between slashes.'),
  'flow.slot.unused': warning('Collect the slot in a step, or remove it.'),
  'flow.text.slot.unknown': warning('Add the slot to the flow, or read a field of person or agent.'),
  'flow.condition.unreadable': error(
    "Write a test such as plan == 'gold', day exists or party > 4; join tests with and, or, not and parentheses.",
  ),
  'flow.condition.slot.unknown': warning('Ask about a slot of this flow or a field of person.'),
  'flow.bind.unknown': error('Bind the slot to a field of Person, such as person.email or person.customFields.<key>.'),
  'flow.bind.undeclared': warning(fixUndeclaredField),
  'flow.template.unknown': error(fixUnknownId),
  'flow.thing.unknown': warning(fixUnknownId),
  'flow.collection.unknown': warning(fixUnknownId),
  'flow.image.unknown': warning('Upload the media item, or name one that exists.'),
  'flow.playbook.unknown': error(fixUnknownId),
  'flow.playbook.owned': warning('Hand over to a playbook that no outreach owns: others are hidden here.'),
  'flow.call.flowless': warning('Give the playbook a flow, or hand over to it instead.'),
  'flow.call.cycle': warning('Let one of these flows end or hand over instead of calling.'),
  'flow.integration.unknown': error(fixUnknownId),
  'flow.action.unknown': error(
    'Act through scheduling, people, notify, knowledge, integration:<id> or tool:<catalog id>.',
  ),
  'flow.action.tool.unknown': warning('Name a tool that the capability has.'),
  'flow.action.capability.missing': error(
    'Add the capability to the uses of the playbook, or the tool to its toolRefs.',
  ),
  'flow.action.unconfigured': warning('Configure the capability, or the action will not reach anybody.'),
  'flow.body.stale': warning('Generate the flow again, or send it without generatedFrom when it still fits the body.'),
  'flow.chip.keyword': warning(fixKeyword),
  'flow.chip.long': advice('Keep chips within 25 characters: some channels cut longer ones.'),
  'playbook.default.missing': error('Make one playbook the default.'),
  'playbook.default.several': error('Keep one default.'),
  'playbook.default.owned': error('Make a playbook the default that no outreach owns.'),
  'playbook.outreach.unknown': warning('Remove the playbook: the outreach that owned it was deleted.'),
  'playbook.uses.unknown': error(fixUnknownId),
  'playbook.uses.missing': warning('List the capabilities that the playbook acts through; an empty list means none.'),
  'playbook.template.unknown': warning(fixUnknownId),
  'playbook.thing.unknown': warning(fixUnknownId),
  'playbook.collection.unknown': warning(fixUnknownId),
  'playbook.image.unknown': warning('Upload the media item, or name one that exists.'),
  'playbook.tool.unknown': warning('Name a tool of the catalog.'),
  'playbook.chip.keyword': warning(fixKeyword),
  'playbook.whenToUse.missing': advice('Say when the playbook is to be used, or it will rarely be chosen.'),
  'template.template.unknown': error(fixUnknownId),
  'template.thing.unknown': error(fixUnknownId),
  'template.collection.unknown': error(fixUnknownId),
  'template.image.unknown': error('Upload the media item, or name one that exists.'),
  'template.field.unknown': warning(fixUndeclaredField),
  'template.slot.unknown': warning('Read a field that a person or the agent has: person.firstName, agent.websiteUrl.'),
  'template.cycle': error('Take one template out of the circle.'),
  'template.empty.person': warning(
    'Give the slots a fallback behind a bar, so that people without the field can be written to.',
  ),
  'template.chip.keyword': warning(fixKeyword),
  'fact.template.unknown': warning(fixUnknownId),
  'fact.thing.unknown': warning(fixUnknownId),
  'fact.collection.unknown': warning(fixUnknownId),
  'fact.image.unknown': warning('Upload the media item, or name one that exists.'),
  'fact.scope.unknown': warning(fixUnknownId),
  'fact.duplicate': advice('Merge the two, or tell them apart by scope.'),
  'fact.chip.keyword': warning(fixKeyword),
  'thing.collection.unknown': error(fixUnknownId),
  'thing.media.unknown': warning('Upload the media item, or name one that exists.'),
  'thing.action.keyword': warning(fixKeyword),
  'collection.empty': advice('Put a thing into the collection, or remove it.'),
  'collection.action.unknown': advice('Name labels that things of the collection have.'),
  'rule.pattern.unreadable': error(
    'Write a phrase, or a plain expression between slashes: no look-around, no references back.',
  ),
  'goal.unknown': error(fixUnknownId),
  'goal.field.unknown': warning(fixUndeclaredField),
  'goal.unreached': advice('Choose another event: nothing marks this one as reached.'),
  'objective.unread': advice('Say it in a Goal or in the body of a playbook, and import without the objective.'),
  'outreach.template.unknown': error(fixUnknownId),
  'outreach.playbook.unknown': error(fixUnknownId),
  'outreach.opener.blocked': advice('Declare what the opener reads as inputs, or give its slots a fallback.'),
  'scheduling.playbook.unknown': warning(fixUnknownId),
  'scheduling.window.empty': warning('Let a window end after it starts.'),
  'scheduling.hours.missing': advice('Set available hours, or no time can be offered.'),
  'campaign.segment.unknown': warning(fixUnknownId),
  'agent.voice.missing': warning('Add a playbook or a fact, or let the agent set a webhook.'),
  'tool.unknown': warning('Remove the binding: the catalog has no such tool.'),
  'identity.contact.missing': advice('Add a contact, to be offered when a user asks for a person.'),
} as const satisfies Record<string, Code>

export type LintCode = keyof typeof lintCodes
