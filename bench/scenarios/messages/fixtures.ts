/** What both candidates of the messages scenario are about: how many people there are, and what they are told. */

/** Many more than requests are on their way, so that messages of one person hardly ever wait for each other. */
export const people = 2_000

export const messageText = 'Your order left the warehouse this morning and arrives on Thursday between nine and noon.'
