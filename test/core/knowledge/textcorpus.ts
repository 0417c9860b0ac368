/** Indexed texts as a corpus in memory, as the store of sources shows them to the ranking. */
import { type Corpus, type IndexedText, indexText } from '../../../core/knowledge/ranking.js'

export function indexedText(text: string): IndexedText {
  const indexed = indexText(text)
  if ('problem' in indexed) throw new Error(indexed.problem)
  return indexed
}

export function corpusOf(sources: Readonly<Record<string, IndexedText>>): Corpus {
  const all = Object.entries(sources)
  return {
    passages: all.reduce((sum, [, { passages }]) => sum + passages.length, 0),
    words: all.flatMap(([, { lengths }]) => lengths).reduce((sum, length) => sum + length, 0),
    postingsOf: (word) =>
      all.flatMap(([source, { words }]) => {
        const postings = words.find(([each]) => each === word)?.[1]
        return postings ? [{ source, postings }] : []
      }),
    lengthsOf: (source) => sources[source]!.lengths,
  }
}
