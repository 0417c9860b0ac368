/** English words that say nothing about the topic of a question, as `tokenize` gives them. */

const articles = 'a an the this that these those there here it its'
const pronouns =
  'i im ive id ill m ve d ll me my mine myself you your yours yourself u ur we us our ours he she him her his they ' +
  'them their one ones someone somebody anyone anybody anything something nothing everything guys folks'
const questions = 'what whats s which who whos whom whose when whens where wheres why how hows'
const auxiliaries =
  'am is are r re was were be been being do does did done doing don didn doesn isn aren wasn t dont doesnt isnt arent ' +
  'has have had having can cant cannot could may might must shall should will would wont wouldnt couldnt'
const particles =
  'of in on at to from for with by about into onto over under as per than then if so but and or nor also too just only ' +
  'any some such very really actually maybe perhaps not no'
const courtesies =
  'hi hello hey dear good morning afternoon evening please pls plz thanks thank thx kindly sorry ok okay yes yeah well ' +
  'oh um hmm lol'
const requests =
  'get got want wants wanted wanna need needs needed like tell know say see let give show find ask asking wondering ' +
  'wonder help question info information possible able thing things stuff offer provide available guess think looking'

const functionWords: ReadonlySet<string> = new Set(
  [articles, pronouns, questions, auxiliaries, particles, courtesies, requests].flatMap((group) => group.split(' ')),
)

export function isFunctionWord(word: string): boolean {
  return functionWords.has(word)
}
