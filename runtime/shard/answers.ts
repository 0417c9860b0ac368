/** Answers of all shards as one: a single shard that refuses refuses the whole. */
import { isRefusal, type Refusal } from '../../core/errors.js'

export function combineAnswers(answers: readonly unknown[]): readonly unknown[] | Refusal {
  return (answers.find(isRefusal) as Refusal | undefined) ?? answers
}
