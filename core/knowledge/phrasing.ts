/** The normal form in which two texts are one question, whatever their case, accents, punctuation and courtesies. */
import { foldText } from './tokenizer.js'

const apostrophes = /['\u2018\u2019\u02bc]/g
const words = /[\p{L}\p{N}\p{M}]+/gu

/** Courtesies before and after a question, longer ones before those that they begin with. */
const openings = phrases('hi there,hello there,hey there,good morning,good afternoon,good evening,hi,hello,hey,please')
const closings = phrases(
  'thank you very much,thank you so much,thanks so much,thanks a lot,thanks in advance,thank you,many thanks,thanks,thx,please,pls',
)

function phrases(list: string): readonly (readonly string[])[] {
  return list.split(',').map((phrase) => phrase.split(' '))
}

export function plainWords(text: string): string[] {
  return foldText(text).replace(apostrophes, '').match(words) ?? []
}

/** The words of the question, joined by spaces. A text of courtesies alone stays whole; one without words is empty. */
export function plainQuestion(text: string): string {
  const all = plainWords(text)
  const from = endOfOpenings(all)
  const to = startOfClosings(all, from)
  return (from < to ? all.slice(from, to) : all).join(' ')
}

function endOfOpenings(all: readonly string[]): number {
  let from = 0
  for (;;) {
    const opening = openings.find((phrase) => isPhraseAt(all, from, phrase))
    if (!opening) return from
    from += opening.length
  }
}

function startOfClosings(all: readonly string[], from: number): number {
  let to = all.length
  for (;;) {
    const closing = closings.find((phrase) => to - phrase.length >= from && isPhraseAt(all, to - phrase.length, phrase))
    if (!closing) return to
    to -= closing.length
  }
}

function isPhraseAt(all: readonly string[], at: number, phrase: readonly string[]): boolean {
  return phrase.every((word, nth) => all[at + nth] === word)
}
