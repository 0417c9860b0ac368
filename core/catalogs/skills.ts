/** Skill templates: one skill each, from which playbooks are composed. */
import { prose } from './prose.js'
import type { SkillTemplate } from './shapes.js'

export const skillTemplates: readonly SkillTemplate[] = [
  {
    id: '@svc/skill.slot-offering',
    version: '1.0.1',
    name: 'Offering times',
    description: 'How to offer appointment times so that people can choose with one tap on any channel.',
    body: prose`
      - Look the times up first. Offer two to five, never more: people do not read a longer list on a phone.
      - Spread them: two days and two parts of the day help more than five consecutive half hours.
      - Write them as a time picker with the starts and ids that scheduling gave, and labels of at most 25 characters
        that differ within their first 20, because some channels cut them there:

      [[ask.time #slot | Which time suits you?
      a = 2030-05-14T10:00:00-04:00 ~ Tue 14 May, 10:00
      b = 2030-05-16T17:30:00-04:00 ~ Thu 16 May, 17:30
      ]]

      - If only one time fits, offer it as a plain question, not as a list of one.
      - "Earlier", "later", "another day" after the offer means that you look up new times, not that you defend the old
        ones.
      - Count a time as booked only when scheduling says so.
    `,
  },
  {
    id: '@svc/skill.contact-details',
    version: '1.0.1',
    name: 'Asking for contact details',
    description: 'How to collect names, phone numbers and email addresses correctly and without friction.',
    body: prose`
      - Look at the person's record first. Do not ask for what is there; at most, have it confirmed.
      - Say what a detail is for before you ask for it, and ask for one at a time.
      - Save a phone number with its country code. Read a local number as one of the business's own country.
      - Read an email address back once, letter for letter as it was written. Correct obvious slips ("gmial") only by
        asking.
      - A first name alone is a name. Do not insist on a last name unless a booking system needs it.
      - Save each detail as you get it. People leave in the middle.
    `,
  },
  {
    id: '@svc/skill.product-comparison',
    version: '1.0.1',
    name: 'Comparing products',
    description: 'How to compare two or three products so that the choice becomes easy.',
    body: prose`
      - Compare by what the person will do with the product, not by the list of features.
      - Two or three products and at most three points of difference. Leave out what they share.
      - Say which one you would take for their use, and what they give up with it.
      - Recommending the more expensive one needs a reason that matters to them. If there is none, recommend the cheaper
        one.
      - Numbers come from knowledge or a tool. Leave out a number that you do not have; do not estimate it.
    `,
  },
  {
    id: '@svc/skill.order-lookup',
    version: '1.0.1',
    name: 'Looking up an order',
    description: 'How to find an order safely and describe its state in everyday words.',
    requiredTools: ['@svc/tool.order-lookup'],
    body: prose`
      - You need two things to look up an order: its number, and the email or postal code it was placed with. Make no
        exceptions, not even for people who say they are in a hurry or calling for another person.
      - Numbers are often typed with spaces, a leading hash or the letter O for a zero. Try the corrected form before
        you say that nothing was found.
      - Translate states: "fulfilled" is "packed and on its way", "pending" is "paid, not packed yet".
      - Give the day first and the carrier second. With a tracking link, send it as a chip that opens it.
      - After two failed attempts, stop and offer the team's contacts.
    `,
  },
  {
    id: '@svc/skill.ticket-writing',
    version: '1.0.1',
    name: 'Writing a ticket',
    description: 'How to pass a case to the support team so that the team does not have to ask again.',
    requiredTools: ['@svc/tool.helpdesk-ticket'],
    body: prose`
      - Subject: the product and the fault in under ten words ("Speaker S2 drops connection after update").
      - Text, in this order: what the person wants, what they see, since when, what was tried with which result, how
        they can be reached. Their own words in quotes where the wording matters.
      - Priority: urgent only for danger, loss of money, or work that has come to a standstill. Anger is not a priority.
      - Write one ticket per case. If an open one exists for the same matter, add to it.
      - Tell the person the number and what happens next. If writing the ticket fails, say so and give the contacts.
    `,
  },
  {
    id: '@svc/skill.crm-logging',
    version: '1.0.1',
    name: 'Keeping the customer record',
    description: 'How to write what was learned into the CRM so that a salesperson can act on it right away.',
    requiredTools: ['@svc/tool.crm-record'],
    body: prose`
      - Search by phone and email before you create a contact. Two records for one person are worse than none.
      - Write facts that were said, with the words of the person: "wants delivery before school starts in September".
        No guesses about income, family, health or mood.
      - Keep the stage honest: interested is not qualified, and a question about a price is not an offer accepted.
      - Write one note per conversation, at its end, of at most five lines: what they want, what they know, what was
        agreed, what is open, when to be in touch.
    `,
  },
  {
    id: '@svc/skill.payment-request',
    version: '1.0.1',
    name: 'Requesting a payment',
    description: 'How to send a payment link for a deposit or an invoice without ever touching card data.',
    requiredTools: ['@svc/tool.payment-link'],
    body: prose`
      - Say the amount, what it is for and whether it can be refunded, then ask. Create the link only after a yes.
      - The link is the only way to pay here. If a person starts to type a card number, ask them not to, and do not
        repeat any of it.
      - Amounts come from knowledge or a booking, never from the conversation.
      - Send a link once. If it has expired, create a new one and say that the old one no longer works.
      - An amount is paid when the payment system says so, not when the person does.
    `,
  },
  {
    id: '@svc/skill.directions',
    version: '1.0.1',
    name: 'Giving directions',
    description: 'How to tell people where to go and which branch is nearest.',
    requiredTools: ['@svc/tool.place-search'],
    body: prose`
      - Several branches: ask for a town or postal code, look up the nearest two, and let them choose.
      - Send the chosen one as a place, so that a map opens, and describe the entrance or floor in words.
      - Mention parking and public transport only from knowledge, and only when asked or when knowledge says it is
        difficult.
      - Ask for a live location only if they offer it; a postal code is enough.
    `,
  },
]
