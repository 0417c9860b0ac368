/** Playbooks for sales: showing, comparing, qualifying, quoting, meeting. */
import { agent, prose, user } from './prose.js'
import type { PlaybookTemplate } from './shapes.js'

export const salesPlaybooks: readonly PlaybookTemplate[] = [
  {
    id: '@svc/playbook.lead-capture',
    version: '1.0.1',
    name: 'Lead capture',
    description: 'Notes who is interested in what and how to reach them, without turning into a form.',
    whenToUse: 'The person shows interest that the team should follow up, and contact details are still missing.',
    body: prose`
      The person is interested and the team will want to follow up. Find out how to reach them and why.

      - Give before you ask: answer the question first, then say what the details are for ("so that Lena can send you
        the plan").
      - Ask for one detail at a time: the name, then the best way to contact them. On a phone channel you already have a
        number; ask whether it is the right one instead of asking for another.
      - Ask what it is about in their words, and when they need it. Save every answer to the person's record at once.
      - Do not ask twice for a detail that they do not want to give. Go on without it.
      - Read an email address or a number back once before you rely on it.

      End with what happens next and when, in one sentence, and alert the team: who, what, how urgent, how to reach.
      Do not announce a person or a time that the team has not given you.
    `,
    derivedSkillTemplateIds: ['@svc/skill.contact-details', '@svc/skill.crm-logging'],
    examples: [
      [
        user('can someone call me about solar for my roof'),
        agent('Gladly. So that the right colleague calls: is it for a house you live in, and who should we ask for?'),
        user('yes my house, Dana Whitfield'),
        agent(prose`
          Thanks, Dana. Is the number you are writing from the best one to call?
          [[chips: Yes, this number | Another number]]
        `),
      ],
      [
        user('I dont want to leave my email'),
        agent(
          'No need. The number is enough, and the team will write to you here. What would you like them to prepare?',
        ),
      ],
    ],
  },
  {
    id: '@svc/playbook.product-showcase',
    version: '1.0.1',
    name: 'Product showcase',
    description: 'Shows two to five fitting products as cards, compares them honestly and leads to the chosen one.',
    whenToUse: 'The person asks for a product, a kind of product or a recommendation, or wants to compare.',
    body: prose`
      Show first, then talk. People decide by looking, and a word from them is enough to correct you.

      1. Choose from knowledge: two to five products that fit what was said. One that fits exactly is better than five
         that fit roughly. If a whole collection answers the wish, send that collection.
      2. Show them as a showcase, so that each can be selected. Name each card by the product's id and keep the text
         to what sets it apart:

      [[showcase #pick | These fit best. Which one shall we look at?
      trail-22 = Trail pack 22 l ~ Light, for day hikes, 89 dollars
      ridge-40 = Ridge pack 40 l ~ Frame and rain cover, for two nights, 149 dollars
      ]]

      3. After a choice: give price, what is in stock, and the one question that people usually have about it. Then the
         next step: the product page, a visit to the store, or an order if a tool can take one.
      4. "Which is better?" gets an answer: name one, and give the reason that follows from their use. Say when the
         cheaper one is enough.

      If nothing fits, say so, name the closest product and how it differs. Never make a product sound like what they
      want. Prices, sizes and stock come from knowledge or a tool in this conversation, never from memory.
    `,
    derivedSkillTemplateIds: ['@svc/skill.product-comparison'],
    examples: [
      [
        user('looking for a backpack for weekend trips'),
        agent(prose`
          Two of ours are made for that:
          [[showcase #pick | Which one shall we look at?
          ridge-40 = Ridge pack 40 l ~ Frame and rain cover, 149 dollars
          ridge-50 = Ridge pack 50 l ~ More room, 300 g heavier, 169 dollars
          ]]
        `),
        user('whats better for 2 nights'),
        agent(prose`
          For two nights the 40 l is enough, and you carry less. The 50 l pays off from the fourth night or with a tent. Shall I check the 40 l in your store?
          [[chips: Check my store | Show the page]]
        `),
      ],
    ],
  },
  {
    id: '@svc/playbook.viewing',
    version: '1.0.1',
    name: 'Viewing or test drive',
    description: 'Sets up a meeting about one car, home or showroom piece: what, when, with whom, what to bring.',
    whenToUse: 'The person wants to see or try something in person: a viewing, a test drive, a showroom visit.',
    body: prose`
      A person who wants to see it is close to a decision. Make the meeting easy, and set a definite time.

      1. Find out which one. If it could be several, offer them as options; two viewings in one visit are fine.
      2. Check with a tool that it is still available. If it is not, say so first and offer the closest match.
      3. Offer two to five times from scheduling with the time picker. If the record names a salesperson for this
         person, use that person's calendar.
      4. Confirm once: what, when, where, with whom.
      5. After booking, send the place and say what to bring if knowledge says so (a driving license for a test drive,
         proof of identity for a viewing). Add the event so that it can be saved.
      6. Alert the assigned colleague with a short brief: what they want to see, what they told us, what to prepare.

      Before the meeting you may ask one question that helps the colleague ("Do you have a car to trade in?"), and only
      one. Do not negotiate, and do not discuss other interested people.
    `,
    derivedSkillTemplateIds: ['@svc/skill.slot-offering'],
    examples: [
      [
        user('can I see the apartment on Elm street this week'),
        agent(prose`
          Yes, it is available. These viewing times are open:
          [[ask.time #viewing | Which one works for you?
          v1 = 2030-05-16T17:00:00-04:00 ~ Thu 16 May, 17:00
          v2 = 2030-05-18T11:00:00-04:00 ~ Sat 18 May, 11:00
          ]]
        `),
        user('saturday'),
        agent(prose`
          [[confirm #viewing-book | Shall I book this viewing?
          Home: 2-bedroom apartment, 41 Elm Street
          When: Saturday 18 May, 11:00
          With: Priya Raman
          ]]
        `),
      ],
    ],
  },
  {
    id: '@svc/playbook.quote-request',
    version: '1.0.1',
    name: 'Quote request',
    description: 'Collects what is needed for a quote, checks it with the person and passes it to the team.',
    whenToUse: 'The person asks what something would cost and the price depends on details that only they know.',
    body: prose`
      The price depends on details. Collect them carefully, so that the quote is right the first time.

      - If knowledge has a price list or a starting price, give it first and say which it is.
      - Then ask for what changes the price, one thing at a time, in the order in which people know the answers: what,
        where, how large or how many, by when, anything unusual. Photos are welcome for work on site.
      - Offer options where the choices are few:

      [[ask.choice #size | How large is the place?
      small = Up to 60 m2
      middle = 60 to 120 m2
      large = More than 120 m2
      ]]

      - Read the request back as one list and ask what is missing.
      - Save it to the person's record, alert the team, and say when quotes usually come.

      Never add up a price yourself and never give a range that knowledge does not contain. If the person insists, say
      who decides it and when they will get an answer.
    `,
    derivedSkillTemplateIds: ['@svc/skill.contact-details', '@svc/skill.crm-logging'],
    examples: [
      [
        user('how much to paint my flat'),
        agent(prose`
          It depends on size and walls; single rooms start at 320 dollars. Three short questions and you get a proper quote.
          [[ask.choice #size | How large is the place?
          small = Up to 60 m2
          middle = 60 to 120 m2
          large = More than 120 m2
          ]]
        `),
      ],
    ],
  },
]
