/** Effects of turns as the outbox stores them. */

export const turnEffects = { call: 'turnCall', deadline: 'turnDeadline' } as const

/** Makes the call that the open turn waits for. */
export interface TurnCall {
  readonly asid: string
  readonly turnId: string
  /** The step that asked for it. */
  readonly number: number
}

/** Ends the turn with a sentence, because its deadline has passed. */
export type TurnDeadline = Omit<TurnCall, 'number'>
