/** Playbooks for appointments: booking, rescheduling, reminders, and the waitlist. */
import { agent, prose, user } from './prose.js'
import type { PlaybookTemplate } from './shapes.js'

export const schedulingPlaybooks: readonly PlaybookTemplate[] = [
  {
    id: '@svc/playbook.booking',
    version: '1.0.1',
    name: 'Book an appointment',
    description: 'Finds out what the visit is for, offers real free times, confirms once and books.',
    whenToUse: 'The person wants an appointment, a visit, a call or a slot, or asks what times are free.',
    body: prose`
      Bring the person from "I would like to come" to a booked time in as few messages as possible.

      1. What for. If length or staff depend on the kind of visit and you do not know it yet, ask with at most five
         options.
      2. When. Ask scheduling for free times that fit what they said. Offer two to five of them as a time picker:

      [[ask.time #visit | Which time suits you?
      t1 = 2030-05-14T10:00:00-04:00 ~ Tue 14 May, 10:00
      t2 = 2030-05-15T15:30:00-04:00 ~ Wed 15 May, 15:30
      ]]

         Slot ids and starts come from scheduling, labels stay within 25 characters. Never write a time that
         scheduling did not return, and never read out the whole calendar.
      3. Who. Ask for the name only if it is not on record. Ask for an email only if a confirmation goes there.
      4. Confirm once, with everything in it:

      [[confirm #book | Shall I book this for you?
      Visit: First consultation
      When: Tuesday 14 May, 10:00
      With: Dr. Amara Osei
      ]]

      5. Book. Only after scheduling has answered that it is booked, say so in one sentence and send the event so that
         it can be saved to a calendar.

      When something goes wrong
      - None of the times fit: ask for a day or a part of the day and offer again. After two rounds move to
        the waitlist playbook.
      - The time was taken meanwhile: say so plainly and offer the nearest free ones.
      - Scheduling cannot be reached: do not pretend. Save the request to the record, alert the team, and tell the
        person that the team will get back to them with a time.
      - The person is in another time zone: write the zone beside every time.
    `,
    derivedSkillTemplateIds: ['@svc/skill.slot-offering', '@svc/skill.contact-details'],
    examples: [
      [
        user('can i come in for a checkup tuesday or wednesday'),
        agent(prose`
          Happy to arrange that. These are free on Tuesday and Wednesday:
          [[ask.time #visit | Which time suits you?
          t1 = 2030-05-14T10:00:00-04:00 ~ Tue 14 May, 10:00
          t2 = 2030-05-14T14:15:00-04:00 ~ Tue 14 May, 14:15
          t3 = 2030-05-15T09:30:00-04:00 ~ Wed 15 May, 09:30
          ]]
        `),
        user('the first one'),
        agent(prose`
          [[confirm #book | Shall I book this for you?
          Visit: Check-up
          When: Tuesday 14 May, 10:00
          ]]
        `),
        user('Yes'),
        agent(prose`
          Booked. See you on Tuesday 14 May at 10:00.
          [[event: Check-up | 2030-05-14T10:00:00-04:00 | 2030-05-14T10:30:00-04:00 | America/New_York]]
        `),
      ],
      [
        user('none of these work'),
        agent(prose`
          No problem. What works better for you?
          [[chips: Earlier in the day | After 17:00 | Another week]]
        `),
      ],
    ],
  },
  {
    id: '@svc/playbook.reschedule',
    version: '1.0.1',
    name: 'Move or call off a visit',
    description: 'Moves an appointment to another time, or releases it, with one confirmation.',
    whenToUse: 'The person has an appointment and wants another time, is late, cannot come, or wants it called off.',
    body: prose`
      Changing plans should be as easy as making them. Do not ask for reasons, and do not reproach.

      1. Find the visit. Scheduling knows the person's upcoming appointments. If there is one, name it. If there are
         several, ask which, with one option for each. If there is none, say so and offer to look under another name or
         number.
      2. Unclear whether they want another time or no visit at all? Ask with these two:
      [[chips: Find another time | Call it off]]
         Say "call off", "drop" or "release" here. On text channels some single words end all messages from us, so
         never invite a one-word answer that could be read as one.
      3. Another time: offer two to five free times with the time picker, confirm old and new time in one message,
         then move it. The old time is kept until the new one is booked.
      4. Call it off: confirm once, with the visit in it, then release it. Mention a late fee only if knowledge states
         one that applies, and then before the confirmation, not after.
      5. Say what happened in one line. After calling off, offer a new time once and no more.

      Running late: tell the team with the minutes the person named, and pass on only what the team or knowledge says
      about whether the visit can still take place.
    `,
    derivedSkillTemplateIds: ['@svc/skill.slot-offering'],
    examples: [
      [
        user('I cant make it on tuesday'),
        agent(prose`
          Thanks for letting me know. This is about your check-up on Tuesday 14 May at 10:00. What would you like to do?
          [[chips: Find another time | Call it off]]
        `),
        user('Find another time'),
        agent(prose`
          These are free later that week:
          [[ask.time #move | Which one suits you better?
          t1 = 2030-05-16T11:00:00-04:00 ~ Thu 16 May, 11:00
          t2 = 2030-05-17T09:30:00-04:00 ~ Fri 17 May, 09:30
          ]]
        `),
      ],
      [
        user('please take me off the calendar for friday'),
        agent(prose`
          [[confirm #release | Shall I release this visit?
          Visit: Haircut with Noa
          When: Friday 17 May, 16:00
          ]]
        `),
        user('yes'),
        agent('Done, Friday 16:00 is released. Write to me whenever you would like a new time.'),
      ],
    ],
  },
  {
    id: '@svc/playbook.reminder-reply',
    version: '1.0.1',
    name: 'Answer to a reminder',
    description: 'Handles the reply to an appointment reminder: confirm, move, get directions, or prepare.',
    whenToUse: 'The person answers an appointment reminder. Name this playbook in the scheduling reminders setting.',
    body: prose`
      The last message that the person got from us was the reminder of an upcoming visit. They answer in a hurry, most
      often with one word.

      - A yes, a thumbs up or "see you": thank them, note the confirmation on the record, and end. No further questions.
      - A no, "can't", or a wish for another time: move to the reschedule playbook with this visit already named.
      - A question about how to prepare, what to bring or where to park: answer from knowledge in two sentences.
      - "Where is it?": send the place from knowledge, so that a map opens.
      - Something else entirely: answer it. The person does not have to answer the reminder first.

      If the meaning is unclear, ask once with:
      [[chips: I will be there | Another time | Directions]]

      Never repeat the whole reminder back. Never move or release a visit on a guess.
    `,
    examples: [
      [user('👍'), agent('Great, see you on Tuesday at 10:00.')],
      [
        user('what do i need to bring'),
        agent('Please bring your insurance card and a list of the medicines you take. See you on Tuesday at 10:00.'),
      ],
      [
        user('no'),
        agent(prose`
          Thanks for telling me. Shall I look for another time for you?
          [[chips: Find another time | Call it off]]
        `),
      ],
    ],
  },
  {
    id: '@svc/playbook.waitlist',
    version: '1.0.1',
    name: 'Waitlist',
    description: 'Notes what a person wants when nothing free fits, so that the team can fill gaps.',
    whenToUse: 'No free time fits the person, or they ask to be told when something earlier opens up.',
    body: prose`
      No free time fits. Note what the person wants so that the team can use it.

      1. Say honestly that nothing fits now. Do not offer times again that they already turned down.
      2. Collect, one at a time and only what is missing: which visit, which days and parts of the day work, how much
         notice they need, and the best way to reach them.
      3. Save all of it to the person's record, marked as a waitlist request, and alert the team with the same summary.
      4. Tell the person what happens: the team writes when something opens, and nothing is booked until they agree.
         Do not estimate the wait or a place in line.
      5. If they already have a later visit, say that they keep it.

      A quick way to ask for the part of the day:
      [[ask.choice #part | When could you come at short notice?
      morning = Mornings
      midday = Around midday
      late = After 16:00
      any = Any time
      ]]
    `,
    derivedSkillTemplateIds: ['@svc/skill.contact-details'],
    examples: [
      [
        user('nothing earlier than june??'),
        agent(prose`
          Nothing earlier is free right now, sorry. I can note you down, and the team writes to you when a time opens up.
          [[ask.choice #part | When could you come at short notice?
          morning = Mornings
          midday = Around midday
          late = After 16:00
          any = Any time
          ]]
        `),
      ],
    ],
  },
]
