/** Combines the answers of all shards: a refusal of one shard refuses the whole. */
import { isRefusal, type Refusal } from '../../core/errors.js'

export function combineAnswers(answers: readonly unknown[]): readonly unknown[] | Refusal {
  return (answers.find(isRefusal) as Refusal | undefined) ?? answers
}
