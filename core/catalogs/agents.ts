/** Agent templates: a whole starting point for one trade, made of pieces from the other catalogs. */
import type { AgentTemplate } from './shapes.js'

/** For every kind of business. */
const commonPlaybooks = [
  '@svc/playbook.faq',
  '@svc/playbook.reach-us',
  '@svc/playbook.after-hours',
  '@svc/playbook.complaint',
  '@svc/playbook.feedback-request',
]
const appointmentPlaybooks = [
  '@svc/playbook.booking',
  '@svc/playbook.reschedule',
  '@svc/playbook.reminder-reply',
  '@svc/playbook.waitlist',
]
const orderPlaybooks = ['@svc/playbook.order-status', '@svc/playbook.return-or-exchange']

export const agentTemplates: readonly AgentTemplate[] = [
  {
    id: '@svc/agent.clinic',
    version: '1.0.1',
    name: 'Clinic or practice',
    description:
      'Receptionist of a medical, dental or therapy practice: booking, rescheduling, reminders, practical answers.',
    category: 'health',
    identityPreamble:
      'You are the automated receptionist of a health practice. You arrange visits and answer practical questions; only the clinicians give medical advice.',
    playbookTemplateIds: ['@svc/playbook.front-desk', ...appointmentPlaybooks, ...commonPlaybooks],
    personalityTemplateId: '@svc/personality.calm-clinician',
    objectiveTemplateIds: ['@svc/objective.booked-visit', '@svc/objective.honest-feedback'],
    guardrailTemplateIds: ['@svc/guardrail.general', '@svc/guardrail.health', '@svc/guardrail.privacy'],
    skillTemplateIds: ['@svc/skill.slot-offering', '@svc/skill.contact-details'],
    recommendedToolIds: ['@svc/tool.calendar', '@svc/tool.place-search'],
  },
  {
    id: '@svc/agent.salon',
    version: '1.0.1',
    name: 'Salon or studio',
    description:
      'Hair, beauty, massage or fitness by appointment, with an invitation for guests who have not come for a while.',
    category: 'beauty-and-wellness',
    identityPreamble:
      'You are the automated receptionist of a salon. Regulars have a favorite stylist and a usual time; look both up on the record before you ask.',
    playbookTemplateIds: [
      '@svc/playbook.front-desk',
      ...appointmentPlaybooks,
      ...commonPlaybooks,
      '@svc/playbook.reactivation',
    ],
    personalityTemplateId: '@svc/personality.warm-receptionist',
    objectiveTemplateIds: ['@svc/objective.booked-visit', '@svc/objective.honest-feedback'],
    guardrailTemplateIds: ['@svc/guardrail.general', '@svc/guardrail.privacy'],
    skillTemplateIds: ['@svc/skill.slot-offering', '@svc/skill.contact-details', '@svc/skill.payment-request'],
    recommendedToolIds: ['@svc/tool.calendar', '@svc/tool.payment-link'],
  },
  {
    id: '@svc/agent.retail-shop',
    version: '1.0.0',
    name: 'Retail shop',
    description: 'Shows products, compares them, and looks after orders, returns and store questions.',
    category: 'retail',
    identityPreamble:
      'You are the automated shop assistant of a retailer. You know its products from the knowledge catalog and sell nothing that is not in it.',
    playbookTemplateIds: [
      '@svc/playbook.shop-assistant',
      '@svc/playbook.product-showcase',
      ...orderPlaybooks,
      '@svc/playbook.lead-capture',
      ...commonPlaybooks,
      '@svc/playbook.outbound-opener',
    ],
    personalityTemplateId: '@svc/personality.cheerful-shopkeeper',
    objectiveTemplateIds: ['@svc/objective.fitting-choice', '@svc/objective.first-contact-solution'],
    guardrailTemplateIds: ['@svc/guardrail.general', '@svc/guardrail.privacy'],
    skillTemplateIds: ['@svc/skill.product-comparison', '@svc/skill.order-lookup', '@svc/skill.directions'],
    recommendedToolIds: [
      '@svc/tool.product-search',
      '@svc/tool.order-lookup',
      '@svc/tool.return-request',
      '@svc/tool.shipment-tracking',
      '@svc/tool.place-search',
    ],
  },
  {
    id: '@svc/agent.car-dealership',
    version: '1.0.1',
    name: 'Car dealership',
    description: 'Answers inquiries about cars in stock, qualifies buyers and books test drives and service visits.',
    category: 'automotive',
    identityPreamble:
      'You are the automated sales and service assistant of a car dealership. Prices and terms in writing come from the sales team.',
    playbookTemplateIds: [
      '@svc/playbook.lead-desk',
      '@svc/playbook.viewing',
      '@svc/playbook.lead-capture',
      '@svc/playbook.quote-request',
      ...appointmentPlaybooks,
      ...commonPlaybooks,
      '@svc/playbook.outbound-opener',
      '@svc/playbook.reactivation',
    ],
    personalityTemplateId: '@svc/personality.consultative-advisor',
    objectiveTemplateIds: ['@svc/objective.qualified-lead', '@svc/objective.booked-visit'],
    guardrailTemplateIds: ['@svc/guardrail.general', '@svc/guardrail.finance', '@svc/guardrail.privacy'],
    skillTemplateIds: ['@svc/skill.slot-offering', '@svc/skill.contact-details', '@svc/skill.crm-logging'],
    recommendedToolIds: ['@svc/tool.listing-search', '@svc/tool.crm-record', '@svc/tool.calendar'],
  },
  {
    id: '@svc/agent.real-estate',
    version: '1.0.1',
    name: 'Real-estate office',
    description:
      'Answers questions about homes on offer, learns what people look for and books viewings with the right agent.',
    category: 'real-estate',
    identityPreamble:
      'You are the automated assistant of a real-estate office. All people get the same answers and the same chance to view a home.',
    playbookTemplateIds: [
      '@svc/playbook.lead-desk',
      '@svc/playbook.viewing',
      '@svc/playbook.lead-capture',
      '@svc/playbook.reschedule',
      '@svc/playbook.reminder-reply',
      ...commonPlaybooks,
      '@svc/playbook.outbound-opener',
    ],
    personalityTemplateId: '@svc/personality.consultative-advisor',
    objectiveTemplateIds: ['@svc/objective.qualified-lead', '@svc/objective.reachable-contact'],
    guardrailTemplateIds: [
      '@svc/guardrail.general',
      '@svc/guardrail.real-estate',
      '@svc/guardrail.finance',
      '@svc/guardrail.privacy',
    ],
    skillTemplateIds: ['@svc/skill.slot-offering', '@svc/skill.contact-details', '@svc/skill.crm-logging'],
    recommendedToolIds: ['@svc/tool.listing-search', '@svc/tool.crm-record', '@svc/tool.calendar'],
  },
  {
    id: '@svc/agent.restaurant',
    version: '1.0.0',
    name: 'Restaurant',
    description: 'Host for reservations, groups and menu questions, quick enough for guests on their way.',
    category: 'hospitality',
    identityPreamble:
      'You are the automated host of a restaurant. You take reservations and answer guests; the kitchen decides about allergies.',
    playbookTemplateIds: [
      '@svc/playbook.table-host',
      '@svc/playbook.table-reservation',
      '@svc/playbook.group-booking',
      '@svc/playbook.reschedule',
      '@svc/playbook.reminder-reply',
      '@svc/playbook.waitlist',
      ...commonPlaybooks,
    ],
    personalityTemplateId: '@svc/personality.easygoing-host',
    objectiveTemplateIds: ['@svc/objective.full-house', '@svc/objective.honest-feedback'],
    guardrailTemplateIds: ['@svc/guardrail.general', '@svc/guardrail.age-restricted', '@svc/guardrail.privacy'],
    skillTemplateIds: ['@svc/skill.slot-offering', '@svc/skill.directions'],
    recommendedToolIds: ['@svc/tool.calendar', '@svc/tool.place-search', '@svc/tool.payment-link'],
  },
  {
    id: '@svc/agent.support-desk',
    version: '1.0.1',
    name: 'Support desk',
    description: 'First line of support: known fixes, order questions, and complete tickets for everything else.',
    category: 'support',
    identityPreamble:
      'You are the automated first line of a support team. Your job is to solve the problem, not to keep people away from the team.',
    playbookTemplateIds: [
      '@svc/playbook.support-desk',
      '@svc/playbook.troubleshooting',
      ...orderPlaybooks,
      ...commonPlaybooks,
    ],
    personalityTemplateId: '@svc/personality.plain-technician',
    objectiveTemplateIds: ['@svc/objective.first-contact-solution', '@svc/objective.honest-feedback'],
    guardrailTemplateIds: ['@svc/guardrail.general', '@svc/guardrail.privacy'],
    skillTemplateIds: ['@svc/skill.ticket-writing', '@svc/skill.order-lookup'],
    recommendedToolIds: ['@svc/tool.helpdesk-ticket', '@svc/tool.order-lookup', '@svc/tool.shipment-tracking'],
  },
  {
    id: '@svc/agent.home-services',
    version: '1.0.1',
    name: 'Home services',
    description:
      'Plumbers, electricians, cleaners, installers: collects the job, quotes through the team, books visits.',
    category: 'home-services',
    identityPreamble:
      'You are the automated dispatcher of a home-services company. First find out what the job is, where it is and how urgent it is.',
    playbookTemplateIds: [
      '@svc/playbook.front-desk',
      '@svc/playbook.quote-request',
      '@svc/playbook.lead-capture',
      ...appointmentPlaybooks,
      ...commonPlaybooks,
    ],
    personalityTemplateId: '@svc/personality.brisk-dispatcher',
    objectiveTemplateIds: ['@svc/objective.booked-visit', '@svc/objective.reachable-contact'],
    guardrailTemplateIds: ['@svc/guardrail.general', '@svc/guardrail.privacy'],
    skillTemplateIds: ['@svc/skill.slot-offering', '@svc/skill.contact-details', '@svc/skill.payment-request'],
    recommendedToolIds: ['@svc/tool.calendar', '@svc/tool.crm-record', '@svc/tool.payment-link'],
  },
]
