/** Words that answer, skip or leave a question, as whole messages. */
import { fold, isWord, tokensOf } from '../../conversation/spelling.js'

const longestPhrase = 60
const longestAnswer = 200

const phrases = (text: string): ReadonlySet<string> => new Set(text.split(' / '))

const cancelPhrases = phrases(
  'cancel / cancel it / cancel this / cancel that / never mind / nevermind / forget it / forget about it / ' +
    'forget that / quit / exit / abort / leave it / drop it / no forget it / no never mind / stop this / stop that / ' +
    'i changed my mind / changed my mind',
)
const skipPhrases = phrases(
  'skip / skip it / skip this / skip that / pass / n a / na / none / nothing / no / nope / no thanks / not now / ' +
    "i don't / i don't have one / don't have one / prefer not to / prefer not to say / rather not / rather not say / " +
    "i'd rather not / i'd rather not say",
)
const yesPhrases = phrases(
  "that's right / that is right / that's correct / that is correct / it is / i do / i am / i would / go ahead / " +
    'please do / do it / sounds good / looks good / of course / why not',
)
const noPhrases = phrases(
  "i don't / i do not / i'm not / not really / not yet / not now / it isn't / it is not / not right",
)
const yesWords = phrases(
  'yes / y / yeah / yep / yup / yea / sure / ok / okay / correct / right / true / absolutely / definitely / certainly / ' +
    'exactly / perfect',
)
const noWords = phrases('no / n / nope / nah / false / wrong / incorrect / never')
/** After them the answer may not mean what its first word says: `yes, but …`, `no problem`. */
const reservations = phrases("not / no / nope / don't / but / if / unless / except / however / wrong / never")
const consents = phrases('problem / problems / worries / doubt / yes / yeah / sure')
const politeWords = phrases('please / thanks / thank / you / actually / sorry / oh / well / just')

/** The words of a short text; undefined for a long one, which is no such phrase. */
function phraseOf(text: string, longest: number): readonly string[] | undefined {
  return text.length > longest ? undefined : tokensOf(text).filter(isWord)
}

function isOneOf(text: string, known: ReadonlySet<string>): boolean {
  const words = phraseOf(text, longestPhrase)
  if (!words) return false
  return known.has(words.join(' ')) || known.has(words.filter((word) => !politeWords.has(word)).join(' '))
}

/** Whether the message does nothing but leave what was begun. */
export function isCancel(text: string): boolean {
  return isOneOf(text, cancelPhrases)
}

export function isSkip(text: string): boolean {
  return isOneOf(text, skipPhrases)
}

/** Undefined when the text is neither, both, or a question. */
export function readYesNo(text: string): boolean | undefined {
  const words = phraseOf(text, longestAnswer)
  if (!words || words.length === 0 || text.includes('?')) return undefined
  const [first = '', ...rest] = words
  if (isOneOf(text, yesPhrases)) return true
  if (isOneOf(text, noPhrases)) return false
  if (yesWords.has(first) && !rest.some((word) => reservations.has(word))) return true
  return noWords.has(first) && !rest.some((word) => consents.has(word)) ? false : undefined
}

const ranks: ReadonlyMap<string, number> = new Map(
  'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ').map((word, index) => [word, index]),
)
const rankFillers = phrases('the / one / option / time / slot / choice / number / please / available')

/** The index that `the second one` or `the last` means among so many; undefined for any other text. */
export function readRank(text: string, count: number): number | undefined {
  const words = phraseOf(text, longestPhrase)?.filter((word) => !rankFillers.has(word))
  const [word = ''] = words ?? []
  if (words?.length !== 1) return undefined
  const index = word === 'last' || word === 'latest' ? count - 1 : word === 'earliest' ? 0 : ranks.get(word)
  return index !== undefined && index >= 0 && index < count ? index : undefined
}

/** `startTime` and `start_time` as `start time`. */
export function readableName(name: string): string {
  return fold(name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' '))
}
