/** Quoting a passage as the answer: only one that has the words of the question together, and no near rival. */
import t from 'tap'
import { confidentPassage } from '../../../core/knowledge/passageanswer.js'
import { rankPassages } from '../../../core/knowledge/ranking.js'
import { dentalPractice } from './dentalpractice.js'
import { handbook } from './handbook.js'
import { hotel } from './hotel.js'
import { corpusOf, indexedText } from './textcorpus.js'

const sources = Object.fromEntries(Object.entries(handbook).map(([id, text]) => [id, indexedText(text)]))
const find = (query: string) =>
  rankPassages(query, corpusOf(sources), 4).map(({ source, passageIndex, score }) => {
    return { id: source, text: sources[source]!.passages[passageIndex]!, score }
  })
const answerTo = (query: string) => confidentPassage(query, find(query))?.id

t.test('C7: A passage that is quoted is the right one, and no unrelated text has one', async (t) => {
  const questions = hotel.questions.filter(([id]) => id in handbook)
  t.ok(questions.length >= 45)
  const quoted = questions.map(([id, text]) => ({ id, text, answer: answerTo(text) })).filter(({ answer }) => answer)
  t.same(
    quoted.filter(({ id, answer }) => id !== answer),
    [],
  )
  t.ok(quoted.length / questions.length >= 0.3, `${quoted.length} of ${questions.length}`)
  const unrelated = [...hotel.unrelated, ...dentalPractice.unrelated]
  t.same(
    unrelated.filter((text) => answerTo(text) !== undefined),
    [],
  )
})

t.test('R42: A passage is found by other forms of its words', async (t) => {
  const questions = hotel.questions.filter(([id]) => id in handbook)
  const first = questions.filter(([id, text]) => find(text)[0]?.id === id)
  t.ok(first.length / questions.length >= 0.8, `${first.length} of ${questions.length}`)
})

t.test('C7: A passage is not quoted for a topic alone, for a statement, or beside one that is as good', async (t) => {
  const passage = (text: string, score = 5) => ({ text, score })
  const beach = passage('# The beach\nTowels for the beach are at the reception. Turn left at the church.')
  t.equal(confidentPassage('where are the beach towels', [beach]), beach)
  t.equal(confidentPassage('where are the beach towels', [beach, passage('Towels.', 3)]), beach)
  t.equal(confidentPassage('where are the beach towels', [beach, passage('Beach towels.', 4)]), undefined)
  t.equal(confidentPassage('where are the beach towels', []), undefined)
  t.equal(confidentPassage('beach?', [beach]), undefined)
  t.equal(confidentPassage('The beach towels are dirty', [beach]), undefined)
  t.equal(confidentPassage('my beach towels', [beach]), undefined)
  t.equal(confidentPassage('where are the beach umbrellas', [beach]), undefined)
  t.equal(confidentPassage('what are you', [beach]), undefined)
})

t.test('C7: The words of the question stand together in a passage that answers it', async (t) => {
  const filler = 'The garden has a fountain. The roses bloom in May. '
  const near = { text: `${filler}Dogs are welcome. They sleep free. ${filler}`, score: 5 }
  const far = { text: `Dogs are welcome. ${filler}Children sleep free.`, score: 5 }
  t.equal(confidentPassage('do dogs sleep free?', [near]), near)
  t.equal(confidentPassage('do dogs sleep free?', [far]), undefined)
})
