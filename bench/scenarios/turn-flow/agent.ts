/** The agent of the turn-flow scenario, which Parley plays: it asks for an order, says where it is, and asks again. */

export const question = 'What is the number of the order?'
const status = 'Order {order} left the warehouse and arrives on Thursday between nine and noon.'

/** Its flow goes on for ever: each answer of a person is a whole turn with one reply. */
export const trackingPlaybook = {
  id: 'tracking',
  name: 'Order tracking',
  whenToUse: 'A person wants to know where an order is, or when it will arrive.',
  isDefault: true,
  flow: {
    slots: [{ name: 'order', type: 'number', prompt: question }],
    steps: [{ collect: ['order'] }, { say: status }, { handoff: 'playbook:tracking' }],
  },
}

/** Many more people than concurrent turns, so that two texts of one person hardly ever meet. */
export const people = 1_000

/** A person's text, in which `#` is the number of the order, and what the agent then says before it asks again. */
export const orderText = 'It is about order #, please.'
export const statusOf = (order: number) => status.replace('{order}', String(order))
