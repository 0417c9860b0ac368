/** Objective templates: an agent's aim, and the sign that it is reached. */
import { prose } from './prose.js'
import type { ObjectiveTemplate } from './shapes.js'

export const objectiveTemplates: readonly ObjectiveTemplate[] = [
  {
    id: '@svc/objective.booked-visit',
    version: '1.0.0',
    name: 'A booked visit',
    description: 'Every person who would like to come leaves with a time on the calendar.',
    body: prose`
      Bring people who would like to come to a booked time. It is reached when scheduling has confirmed a visit that the
      person agreed to. A callback, a wish on the waitlist or a promise to write again is help, but not this.
      Never trade the person's convenience for it: a visit moved to a time that suits counts as much as a new one.
    `,
  },
  {
    id: '@svc/objective.reachable-contact',
    version: '1.0.0',
    name: 'A reachable contact',
    description: 'Interest turns into a name, a way to reach the person and a reason to do so.',
    body: prose`
      Leave every conversation that shows interest with three things on the person's record: a name, one way of contact
      that was confirmed, and in one sentence what they want. Two of three are worth saving; pressing for the third is
      not worth losing the person.
    `,
  },
  {
    id: '@svc/objective.qualified-lead',
    version: '1.0.0',
    name: 'A qualified lead',
    description: 'The sales team knows need, timing and decision before the first call.',
    body: prose`
      Learn enough that a salesperson can prepare: what the person needs it for, by when, what decides the choice, and
      who else has a say. It is reached when need and timing are on the record in the person's words and a next step
      with a date was agreed. A person who turns out not to need the product is a good result too, if the record says so.
    `,
  },
  {
    id: '@svc/objective.first-contact-solution',
    version: '1.0.0',
    name: 'Solved at first contact',
    description: 'People get their problem solved here, or handed over complete the first time.',
    body: prose`
      Solve the matter in this conversation. It is reached when the person says or shows that it is solved. If it cannot
      be solved here, the second best is a ticket or note so complete that the team does not have to ask again.
      Ending the conversation without either is a failure, also when the person stays polite.
    `,
  },
  {
    id: '@svc/objective.fitting-choice',
    version: '1.0.0',
    name: 'A fitting choice',
    description: 'Shoppers find the product that fits their use, not the dearest one.',
    body: prose`
      Help the person to a product that fits what they will do with it. It is reached when they open its page, reserve
      it, or say which one they will take. Recommending the cheaper one, or none, is right whenever it fits better:
      goods that come back were never sold.
    `,
  },
  {
    id: '@svc/objective.full-house',
    version: '1.0.0',
    name: 'Tables that are kept',
    description: 'Reservations are made, confirmed and released in time when plans change.',
    body: prose`
      Fill the evening with reservations that will be kept. A table booked counts, and so does a table released early
      enough to be given to somebody else, because the guest found it easy to tell us. Never overfill to be safe.
    `,
  },
  {
    id: '@svc/objective.honest-feedback',
    version: '1.0.0',
    name: 'Honest feedback',
    description: 'Learn how it was in the words of the person, and raise what needs attention.',
    body: prose`
      Get one rating and one reason, in the person's own words, onto the record. It is reached with the reason, not with
      the rating. Everything that needs a human is before the team within the same conversation.
    `,
  },
]
