/** Fixtures of the messages scenario: how many people there are, and the text they get. */

/** Many more people than concurrent requests, so that messages of one person hardly ever wait for each other. */
export const people = 2_000

export const messageText = 'Your order left the warehouse this morning and arrives on Thursday between nine and noon.'
