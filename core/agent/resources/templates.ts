/** Schemas of message templates and outreach as callers send and read them. */
import Type, { type Static } from 'typebox'
import { agentLimits } from '../../limits/index.js'
import { GoalAssignment } from './character.js'
import { closedObject, moment, nonEmptyText, optional, orNull, slug, text } from './schemas.js'

export const missingSlotPolicies = ['omit-sentence', 'omit-message', 'block-send'] as const
export type MissingSlotPolicy = (typeof missingSlotPolicies)[number]

const limits = agentLimits.messageTemplates
const template = {
  description: optional(text(limits.descriptionChars)),
  defaultOnMissingSlot: optional(Type.Enum([...missingSlotPolicies])),
}
const name = nonEmptyText(limits.nameChars)
const body = nonEmptyText(limits.bodyChars)

export const MessageTemplate = closedObject('MessageTemplate', { ...template, id: slug, name, body })
export type MessageTemplate = Static<typeof MessageTemplate>
export const MessageTemplateBody = closedObject('MessageTemplateBody', { ...template, id: optional(slug), name, body })
export type MessageTemplateBody = Static<typeof MessageTemplateBody>
export const MessageTemplatePatch = closedObject('MessageTemplatePatch', {
  id: optional(slug),
  name: optional(name),
  body: optional(body),
  description: optional(orNull(text(limits.descriptionChars))),
  defaultOnMissingSlot: optional(Type.Union([Type.Enum([...missingSlotPolicies]), Type.Null()])),
})
export type MessageTemplatePatch = Static<typeof MessageTemplatePatch>

export const TemplatePreview = closedObject('MessageTemplatePreview', {
  renderedText: orNull(Type.String()),
  missingSlots: Type.Array(
    closedObject('MissingSlot', { path: Type.String(), action: Type.Enum(['default', ...missingSlotPolicies]) }),
  ),
  blocked: Type.Boolean(),
})

const outreach = agentLimits.outreach
const inputsText =
  'A field that the opening needs, by its key or as the slot is written (`person.firstName`). One that holds a dot or begins with $ is read from the Person alone, and no journey can send it.'
const outreachFields = {
  name: nonEmptyText(outreach.nameChars),
  description: text(outreach.descriptionChars),
  class: Type.Enum(['marketing', 'service']),
  openerTemplateId: slug,
  inputs: Type.Array(nonEmptyText(outreach.inputChars, { description: inputsText }), {
    maxItems: outreach.inputs,
    uniqueItems: true,
  }),
  enabled: Type.Boolean(),
  followUp: closedObject('OutreachFollowUp', {
    templateId: slug,
    afterHours: Type.Integer({ minimum: outreach.afterMinHours, maximum: outreach.afterMaxHours }),
  }),
}
/** Read-only: a write may send them back as it read them. */
const outreachOwned = { playbookId: optional(slug), createdAt: optional(moment), updatedAt: optional(moment) }

export const Outreach = closedObject('Outreach', {
  id: slug,
  ...outreachFields,
  description: optional(outreachFields.description),
  /** Owned: created and removed with the outreach. */
  playbookId: slug,
  goal: optional(GoalAssignment),
  followUp: optional(outreachFields.followUp),
  createdAt: optional(moment),
  updatedAt: optional(moment),
})
export type Outreach = Static<typeof Outreach>

/** Enabled unless the body says otherwise. */
export const OutreachBody = closedObject('OutreachBody', {
  ...outreachOwned,
  ...outreachFields,
  id: optional(slug),
  description: optional(outreachFields.description),
  inputs: optional(outreachFields.inputs),
  enabled: optional(outreachFields.enabled),
  goal: optional(GoalAssignment),
  followUp: optional(outreachFields.followUp),
})
export type OutreachBody = Static<typeof OutreachBody>

/** Null removes optional members. */
export const OutreachPatch = closedObject('OutreachPatch', {
  ...outreachOwned,
  id: optional(slug),
  name: optional(outreachFields.name),
  description: optional(orNull(outreachFields.description)),
  class: optional(outreachFields.class),
  openerTemplateId: optional(slug),
  inputs: optional(outreachFields.inputs),
  enabled: optional(outreachFields.enabled),
  goal: optional(orNull(GoalAssignment)),
  followUp: optional(orNull(outreachFields.followUp)),
})
export type OutreachPatch = Static<typeof OutreachPatch>
