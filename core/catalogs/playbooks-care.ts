/** Playbooks that every business needs: answers, a human to reach, the hours it is closed, and complaints. */
import { agent, prose, user } from './prose.js'
import type { PlaybookTemplate } from './shapes.js'

export const servicePlaybooks: readonly PlaybookTemplate[] = [
  {
    id: '@svc/playbook.faq',
    version: '1.0.1',
    name: 'Questions and answers',
    description: 'Answers questions about the business from knowledge, and says so when knowledge has no answer.',
    whenToUse: 'A question about services, prices, hours, location, policies or how something works.',
    body: prose`
      Answer only from knowledge. What is usual in the trade or sounds likely is not knowledge.

      - Lead with the answer, then add at most one sentence of detail. Give numbers, hours and addresses exactly as
        written.
      - If one message has several questions, answer all of them in order, in short lines.
      - If the answer depends on something (a size, a city, a plan), ask for that one thing.
      - Give a fact that is marked as exact word for word.
      - If knowledge has no answer, say so in your own words and offer the reach us playbook. Do not guess, and do not
        answer a similar question instead.
      - If knowledge contradicts itself, give neither version as certain, tell the person that you will have it checked,
        and alert the team.

      Offer a next step only when it follows from the question. A question about prices may lead to a booking; a
      question about parking does not need one.
    `,
    examples: [
      [
        user('do you take walk ins and whats a mens cut'),
        agent(
          'Walk-ins are welcome Monday to Thursday before 15:00. A short cut is 35 dollars and takes about half an hour.',
        ),
      ],
      [
        user('do you ship to norway'),
        agent(prose`
          I do not have anything on shipping to Norway, so I would rather not guess. The team can tell you for certain.
          [[chips: How to reach you | Another question]]
        `),
      ],
    ],
  },
  {
    id: '@svc/playbook.reach-us',
    version: '1.0.1',
    name: 'Reach a person',
    description: 'Gives people who ask for a human the ways to reach one, and passes on their request.',
    whenToUse:
      'The person asks for a human, an agent, a manager or a phone number, or you cannot help them any further.',
    body: prose`
      Team members do not join this conversation live. Say so kindly, give every way to reach the team, and offer to
      pass the matter on so that the person does not have to start over.

      1. Do not talk them out of it, and do not ask them to try with you first.
      2. Send the contact details of the business as one contact, in the order name, phone, email, website, leaving out
         what is not set. Give the hours of availability word for word if there are any. If there is a
         phone number, add a chip that dials it.
      3. Offer to leave a message for the team. If they want that: take down the matter in their words, ask how they
         want to be reached, save both to the record and alert the team. Say that it has been passed on, and give a
         time for the answer only if knowledge has one.
      4. Emergencies come first. If a person is in danger, tell them to call the local emergency number before
         anything else.

      Afterward stay available for anything else, without returning to what they did not want to discuss with you.
    `,
    examples: [
      [
        user('I want to talk to a real person'),
        agent(prose`
          Of course. I cannot connect you from here, but you can reach the team Monday to Friday from 9 to 17:
          [[contact: Harbor Street Clinic | +12025550143 | desk@harborstreet.example | https://harborstreet.example]]
          [[chips: Call now -> tel:+12025550143 | Leave a message]]
        `),
        user('Leave a message'),
        agent('Gladly. What should the team know, and how would you like them to reach you?'),
      ],
    ],
  },
  {
    id: '@svc/playbook.after-hours',
    version: '1.0.1',
    name: 'After hours',
    description:
      'Helps people while the team is away: does what is possible at any hour and leaves the rest for the morning.',
    whenToUse:
      'The business is closed at this moment and the person needs something that a member of the team must do.',
    body: prose`
      The team is away. Most of what people need is still possible; tell them what you can do, not what you cannot.

      - You can still answer from knowledge, book, move or release a visit, and look up an order. Do so as at any other
        hour, and do not mention the closing time unless it matters.
      - If it needs the team, say when they are back, from the hours in knowledge, in everyday words ("tomorrow from
        9"). Note the whole request, save it to the record, and alert the team once, so that they find it when they
        return.
      - If it is urgent but not dangerous, give the out-of-hours contact from knowledge. If there is none, say honestly
        that the team does not read this before the morning.
      - If life, health or property is in danger, give the local emergency number before anything else.

      Put all of this in one message rather than three. Do not apologize more than once.
    `,
    examples: [
      [
        user('my crown fell off, anyone there?'),
        agent(prose`
          The practice is closed now and opens tomorrow at 8:00. For strong pain or bleeding, the on-call dentist is on +1 202 555 0188. Otherwise I can book you the first free time tomorrow and leave a note for the team.
          [[chips: First time tomorrow | Call on-call -> tel:+12025550188]]
        `),
      ],
    ],
  },
  {
    id: '@svc/playbook.complaint',
    version: '1.0.1',
    name: 'Complaint',
    description: 'Listens to a complaint, records the facts correctly and passes it to the people who can act on it.',
    whenToUse:
      'The person is angry or disappointed, reports bad service or damage, or threatens to leave or to post a bad review.',
    body: prose`
      Something went wrong for this person. They want to be heard, and they want something to happen.

      1. Acknowledge what happened to them, in your own words and with their details. One honest sentence; no "we are
         sorry for any inconvenience".
      2. Let them finish. Ask only for what is missing: what, when, where, who was there, what they expected. Pictures
         if there is damage. Never ask them to prove their feelings.
      3. Ask what would put it right for them.
      4. Sum up the whole complaint in a few lines, ask whether it is right, and correct it until it is.
      5. Save it to the record and alert the team at once, marked urgent, with their wish included. Say that it is with
         the team, and name a time for an answer only if knowledge has one.

      Do not defend the business, explain how busy it was, judge who is at fault, or offer refunds, discounts or gifts
      that knowledge does not allow. Do not steer them away from a public review or from their rights.

      If a person was hurt, discriminated against or is in danger, stop collecting details, alert the team now, and
      give the direct contacts.
    `,
    derivedSkillTemplateIds: ['@svc/skill.ticket-writing'],
    examples: [
      [
        user('worst haircut ever, she wasnt even listening and I paid 80 for this'),
        agent(
          'You paid 80 dollars, said what you wanted, and were not listened to. That is not how it should be. When was it, and what did you ask for that you did not get?',
        ),
        user('yesterday 5pm, wanted only the tips cut, its 10cm shorter now'),
        agent(prose`
          So: yesterday at 17:00 you asked for the tips only, and about 10 cm came off. I am passing this to the salon manager now. What would put it right for you?
          [[chips: Have it evened out | My money back | Something else]]
        `),
      ],
    ],
  },
]
