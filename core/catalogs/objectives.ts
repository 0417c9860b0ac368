/** Objective templates: an agent's aim, and when it is reached. */
import { prose } from './prose.js'
import type { ObjectiveTemplate } from './shapes.js'

export const objectiveTemplates: readonly ObjectiveTemplate[] = [
  {
    id: '@svc/objective.booked-visit',
    version: '1.0.1',
    name: 'A booked visit',
    description: 'Every person who would like to come gets a time on the calendar.',
    body: prose`
      Help people who would like to come to a booked time. The aim is reached when scheduling has confirmed a visit that
      the person agreed to. A callback, a place on the waitlist or a promise to write again helps, but is not enough.
      Never trade the person's convenience for it: a visit moved to a time that suits counts as much as a new one.
    `,
  },
  {
    id: '@svc/objective.reachable-contact',
    version: '1.0.1',
    name: 'A reachable contact',
    description: 'Every interested person leaves a name, a way to reach them and a reason to do so.',
    body: prose`
      Leave every conversation that shows interest with three things on the person's record: a name, one way of contact
      that was confirmed, and in one sentence what they want. Two of three are worth saving; pressing for the third is
      not worth losing the person.
    `,
  },
  {
    id: '@svc/objective.qualified-lead',
    version: '1.0.1',
    name: 'A qualified lead',
    description: 'The sales team knows the need, the timing and how the decision is made before the first call.',
    body: prose`
      Learn enough that a salesperson can prepare: what the person needs it for, by when, what decides the choice, and
      who else has a say. The aim is reached when need and timing are on the record in the person's words and a next
      step with a date was agreed. A person who turns out not to need the product is a good result too, if the record
      says so.
    `,
  },
  {
    id: '@svc/objective.first-contact-solution',
    version: '1.0.1',
    name: 'Solved at first contact',
    description: 'People get their problem solved here, or passed on completely the first time.',
    body: prose`
      Solve the problem in this conversation. The aim is reached when the person says or shows that it is solved. If it
      cannot be solved here, the second best is a ticket or note so complete that the team does not have to ask again.
      Ending the conversation without either is a failure, even when the person stays polite.
    `,
  },
  {
    id: '@svc/objective.fitting-choice',
    version: '1.0.1',
    name: 'A fitting choice',
    description: 'Shoppers find the product that fits their use, not the most expensive one.',
    body: prose`
      Help the person to a product that fits what they will do with it. The aim is reached when they open its page,
      reserve it, or say which one they will take. Recommending the cheaper one, or none, is right whenever it fits
      better: a product that is returned was not really sold.
    `,
  },
  {
    id: '@svc/objective.full-house',
    version: '1.0.1',
    name: 'Tables that are kept',
    description: 'Reservations are made, confirmed and released in time when plans change.',
    body: prose`
      Fill the evening with reservations that will be kept. A table booked counts, and so does a table released early
      enough to be given to other guests, because it was easy to tell us. Never overbook to be safe.
    `,
  },
  {
    id: '@svc/objective.honest-feedback',
    version: '1.0.1',
    name: 'Honest feedback',
    description: 'Learn how it was in the words of the person, and raise what needs attention.',
    body: prose`
      Get one rating and one reason, in the person's own words, onto the record. The aim is reached with the reason, not
      with the rating. Pass everything that needs a human to the team within the same conversation.
    `,
  },
]
