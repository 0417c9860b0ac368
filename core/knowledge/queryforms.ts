/**
 * The words of a query for the stored index of sources, which has words as texts write them: each with its other forms,
 * so that a question about a dog finds what is said about dogs.
 */
import { knowledge as limits } from '../limits/index.js'
import { isFunctionWord } from './functionwords.js'
import { stem } from './stemming.js'
import { tokenize } from './tokenizer.js'

const endings = ['', 'e', 's', 'es', 'ing', 'ed']

/** One list for each word with a meaning of its own, or for each word if none has one. */
export function queryForms(query: string): string[][] {
  const tokens = [...new Set(tokenize(query))]
  const informative = tokens.filter((token) => !isFunctionWord(token))
  const words = (informative.length > 0 ? informative : tokens).slice(0, limits.queryWords)
  return [...new Map(words.map((word) => [stem(word), formsOf(word)])).values()]
}

/** The word and what has the same stem. */
function formsOf(word: string): string[] {
  const root = stem(word)
  const roots = [root, root + root.slice(-1), root.replace(/y$/, 'i')]
  const forms = roots.flatMap((each) => endings.map((ending) => each + ending))
  return [...new Set([word, ...forms.filter((form) => stem(form) === root)])]
}
