/** The sentences that a managed agent says of its own, in English. Everything else that it says is the operator's. */

export const sentences = {
  noAnswer: 'I cannot answer that here.',
  offer: 'I can help you with this:',
  contact: 'You can reach us here:',
  noContact: 'I am sorry, I cannot put you through to a person.',
  cancelled: 'All right, I have stopped that.',
  done: 'Thank you, that is done.',
  deadline: 'That took too long, so I have stopped it.',
  failed: 'Something went wrong on our side.',
} as const
