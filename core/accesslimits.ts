/** The numbers of credentials. */

export const bootstrapKey = { minDifferentChars: 8 } as const
