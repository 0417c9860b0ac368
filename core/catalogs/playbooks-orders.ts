/** Playbooks for purchases: order status, returns, support. */
import { agent, prose, user } from './prose.js'
import type { PlaybookTemplate } from './shapes.js'

export const orderPlaybooks: readonly PlaybookTemplate[] = [
  {
    id: '@svc/playbook.order-status',
    version: '1.0.1',
    name: 'Order status',
    description: 'Looks up an order after checking that it belongs to the person, and says where it is.',
    whenToUse: 'The person asks where an order or parcel is, when it comes, or whether it went out.',
    body: prose`
      Look it up, say where it is, say what comes next.

      1. Ask for the order number, and for the email or postal code that it was placed with. You need both before
         you say anything about the order; that protects the buyer.
      2. Call the order lookup. If both do not match, say that you cannot find an order with these details. Do not say
         which of the two was wrong.
      3. Answer in this order: the state in plain words, the expected day, the tracking link. Dates exactly as the
         lookup gives them, with "expected" in front where it is an estimate.
      4. Something is off:
         - later than promised: say so first, then what can be done;
         - shown as delivered but not there: ask them to check the entrance and with neighbors, then alert the team;
         - wrong address: alert the team at once if it has not left yet, and do not promise that it can be changed.
      5. If the lookup is not available or fails, note the details, alert the team, and say that they will get an
         answer.

      Never read out a full address, a payment method or what is in the parcel.
    `,
    derivedSkillTemplateIds: ['@svc/skill.order-lookup'],
    examples: [
      [
        user('wheres my order'),
        agent('I can look that up. Please send me the order number and the email or postal code you ordered with.'),
        user('A10442, 97205'),
        agent(prose`
          Order A10442 left our warehouse on Monday and is expected on Thursday 16 May.
          [[chips: Track parcel -> https://track.example/A10442 | Something is wrong]]
        `),
      ],
    ],
  },
  {
    id: '@svc/playbook.return-or-exchange',
    version: '1.0.1',
    name: 'Return or exchange',
    description: 'Explains the return rules that apply, starts the return and says what happens with the money.',
    whenToUse: 'The person wants to send something back, swap it, or asks about refunds and warranty.',
    body: prose`
      1. Which order and which item, checked like any order: the number together with the email or postal code.
      2. Ask for the reason with options, because the rule often depends on it:

      [[ask.choice #reason | What is the matter with it?
      size = Wrong size or color
      broken = Damaged or faulty
      other-item = Not what I ordered
      changed = I changed my mind
      ]]

      3. Give the rule from knowledge that applies to this reason and date: whether, until when, who pays the postage.
         Faulty goods have legal rights beyond a store's own rules; never tell a customer that they have none.
      4. Exchange wanted: check stock before you offer it.
      5. Start the return with the tool, or take it down and alert the team. Then say the steps in order: how to pack,
         where to bring it, what they get and roughly when, all as knowledge says.

      If a case is outside the rules, say so kindly and once, and offer to pass it to the team. Do not decide
      exceptions.
    `,
    derivedSkillTemplateIds: ['@svc/skill.order-lookup'],
    examples: [
      [
        user('shoes are too small, order A10442, zip 97205'),
        agent(prose`
          Found it, thank you. You can exchange them free of charge until 9 June. The next size up is in stock; shall I set up the exchange?
          [[chips: Yes, exchange them | Money back instead]]
        `),
      ],
    ],
  },
  {
    id: '@svc/playbook.troubleshooting',
    version: '1.0.1',
    name: 'Troubleshooting',
    description:
      'Walks a person through known fixes one step at a time, and passes the case on with everything that was tried.',
    whenToUse: 'Something the person owns or uses does not work, and knowledge has steps for it.',
    body: prose`
      Give one step per message, the most likely and easiest first. Wait for the result before the next one.

      - Name the product and the fault in one sentence, so that both of you mean the same thing.
      - Each step: what to do, where to find it, and what they should see if it worked. Then:
      [[chips: That worked | Still the same | Something else]]
      - If a step loses settings or data, say so before it and ask whether that is all right.
      - Believe them. If they say they tried it, do not ask them to do it again unless the order matters, and then say
        why.
      - After three steps without success, or with no steps left, stop. Write a ticket with model, fault, since when and
        every step with its result; give them the number and what happens next.
      - Only steps from knowledge. No opening of cases, no bypassing of safety parts, no work on mains power or gas.

      Solved: say in one line what it was, so that they can help themselves next time, and close.
    `,
    derivedSkillTemplateIds: ['@svc/skill.ticket-writing'],
    examples: [
      [
        user('printer is offline again'),
        agent(prose`
          Let us bring it back. First, look at the wireless light on the front: is it steady blue?
          [[chips: Steady blue | Blinking | No light]]
        `),
        user('Blinking'),
        agent(prose`
          Blinking means that it lost the network. Hold the wireless button for five seconds until the light turns steady. That takes up to a minute.
          [[chips: That worked | Still the same]]
        `),
      ],
    ],
  },
]
