/** The outcome of a webhook reply: what was wrong with its parts, and lines for the agent's log. */
import type { LogNote } from '../catalogs/logevents.js'
import { agentWebhook as limits } from '../limits/index.js'
import type { WebhookOutcome } from './eventqueue.js'
import { isFinalRejection, type Rejection } from './rejections.js'

export interface ReplyOutcome {
  readonly messages: number
  /** Parts that could not be used: the event becomes a dead letter. */
  readonly problems: readonly string[]
  /** Parts that were refused for reasons that another call would not change. */
  readonly refused: readonly string[]
  readonly notes: readonly LogNote[]
}

export const noReply: ReplyOutcome = { messages: 0, problems: [], refused: [], notes: [] }

export function withProblem(reply: ReplyOutcome, problem: string): ReplyOutcome {
  return { ...reply, problems: [...reply.problems, problem] }
}

/** Adds the rejection of one message, counted from 1. */
export function withRejection(reply: ReplyOutcome, message: number, rejection: Rejection): ReplyOutcome {
  const { reason, detail } = rejection
  const sentence = `Message ${message} of the reply was refused: ${detail ? `${reason}: ${detail}` : `${reason}.`}`
  const note: LogNote[] = reason === 'mediaUnreachable' ? [{ event: 'media.unreachable', data: { detail } }] : []
  const { problems, refused, notes } = reply
  return isFinalRejection(rejection)
    ? { ...reply, refused: [...refused, sentence], notes: [...notes, ...note] }
    : { ...reply, problems: [...problems, sentence], notes: [...notes, ...note] }
}

export function webhookOutcomeOf({ problems, refused, notes }: ReplyOutcome): WebhookOutcome {
  return {
    kind: 'taken',
    ...(problems.length > 0 && { problem: problems.slice(0, limits.notesPerReply).join(' ') }),
    ...(refused.length > 0 && { refused: refused.slice(0, limits.notesPerReply).join(' ') }),
    ...(notes.length > 0 && { notes: notes.slice(0, limits.notesPerReply) }),
  }
}
