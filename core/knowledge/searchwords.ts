/**
 * The words by which questions are compared with facts, things and playbooks: without function words, as stems, in one
 * spelling. Indexes in memory use them. The stored index of sources has the words of `tokenize`, so a change here needs
 * no migration.
 */
import { isFunctionWord } from './functionwords.js'
import { stem } from './stemming.js'
import { tokenize } from './tokenizer.js'

/** Within a word, with the s of a possessive: children's, don't. */
const apostrophes = /['\u2018\u2019\u02bc]s?\b/g

/** Parts of compounds that people write as one word, with a hyphen or with a space: check-in, Wi-Fi, x-rays. */
const compoundStarts = new Set('check drop e follow log pick set sign take walk wi x'.split(' '))
const compoundEnds = new Set('bike bikes fi in ins mail mails off out outs ray rays up ups'.split(' '))

/** What customers call by several names, by the name that stands for all. */
const synonyms: Readonly<Record<string, string>> = {
  price: 'prices pricing cost costs fee fees expensive howmuch',
  phone: 'telephone telephones',
  child: 'children kid kids',
  bike: 'bicycle bicycles',
}
const nameOf: ReadonlyMap<string, string> = new Map(
  Object.entries(synonyms).flatMap(([name, words]) => words.split(' ').map((word) => [word, name] as const)),
)

/** In the order of the text, with repeats. */
export function searchWords(text: string): string[] {
  const words: string[] = []
  for (const token of joinCompounds(tokenize(text.replace(apostrophes, '')))) {
    const word = nameOf.get(token) ?? token
    if (!isFunctionWord(word)) words.push(stem(word))
  }
  return words
}

function joinCompounds(tokens: readonly string[]): string[] {
  const joined: string[] = []
  for (const token of tokens) {
    const last = joined.at(-1)
    if (last !== undefined && isCompound(last, token)) joined[joined.length - 1] = last + token
    else joined.push(token)
  }
  return joined
}

function isCompound(start: string, end: string): boolean {
  return (compoundStarts.has(start) && compoundEnds.has(end)) || (start === 'how' && end === 'much')
}

export function distinctSearchWords(text: string): string[] {
  return [...new Set(searchWords(text))]
}
