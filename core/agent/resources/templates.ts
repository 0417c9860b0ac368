/** Message templates and outreach as callers send and read them. */
import Type, { type Static } from 'typebox'
import { agentLimits } from '../../limits.js'
import { GoalAssignment } from './character.js'
import { closed, matching, moment, optional, orNull, slug, text, words } from './words.js'

export const missingSlotPolicies = ['omit-sentence', 'omit-message', 'block-send'] as const
export type MissingSlotPolicy = (typeof missingSlotPolicies)[number]

const limits = agentLimits.messageTemplates
const template = {
  description: optional(text(limits.descriptionChars)),
  defaultOnMissingSlot: optional(Type.Enum([...missingSlotPolicies])),
}
const name = words(limits.nameChars)
const body = words(limits.bodyChars)

export const MessageTemplate = closed('MessageTemplate', { ...template, id: slug, name, body })
export type MessageTemplate = Static<typeof MessageTemplate>
export const MessageTemplateBody = closed('MessageTemplateBody', { ...template, id: optional(slug), name, body })
export type MessageTemplateBody = Static<typeof MessageTemplateBody>
export const MessageTemplatePatch = closed('MessageTemplatePatch', {
  id: optional(slug),
  name: optional(name),
  body: optional(body),
  description: optional(orNull(text(limits.descriptionChars))),
  defaultOnMissingSlot: optional(Type.Union([Type.Enum([...missingSlotPolicies]), Type.Null()])),
})
export type MessageTemplatePatch = Static<typeof MessageTemplatePatch>

export const TemplatePreview = closed('MessageTemplatePreview', {
  renderedText: orNull(Type.String()),
  missingSlots: Type.Array(
    closed('MissingSlot', { path: Type.String(), action: Type.Enum(['default', ...missingSlotPolicies]) }),
  ),
  blocked: Type.Boolean(),
})

const outreach = agentLimits.outreach
export const Outreach = closed('Outreach', {
  id: slug,
  name: words(outreach.nameChars),
  description: optional(text(outreach.descriptionChars)),
  class: Type.Enum(['marketing', 'service']),
  openerTemplateId: slug,
  /** Owned: made with the outreach and gone with it. */
  playbookId: slug,
  goal: optional(GoalAssignment),
  inputs: Type.Array(matching('^[^.$][^.]*$', 'must not hold a dot nor begin with $', outreach.inputChars), {
    maxItems: outreach.inputs,
    uniqueItems: true,
  }),
  enabled: Type.Boolean(),
  followUp: optional(
    closed('OutreachFollowUp', {
      templateId: slug,
      afterHours: Type.Integer({ minimum: outreach.afterLeastHours, maximum: outreach.afterMostHours }),
    }),
  ),
  createdAt: optional(moment),
  updatedAt: optional(moment),
})
export type Outreach = Static<typeof Outreach>
