/** What an agent's document knows: exact facts, ranked search, and the fact that answers beyond doubt. */
import fc from 'fast-check'
import t from 'tap'
import { indexKnowledgeInSteps, type KnowledgeIndex } from '../../../core/knowledge/agentindex.js'
import { everyPlaybook } from '../../../core/knowledge/facts.js'
import { knowledge as limits } from '../../../core/limits/index.js'
import { runToEnd } from '../../../core/steps.js'
import { dentalPractice } from './dentalpractice.js'
import { documentOf, type Fact, type FactCorpus, factsOf, type Thing } from './factcorpus.js'
import { hotel } from './hotel.js'

const fact = (id: string, question: string, more: Partial<Fact> = {}): Fact => ({ id, question, answer: 'A.', ...more })
const indexOf = (facts: readonly Fact[], things: readonly Thing[] = []): KnowledgeIndex =>
  runToEnd(indexKnowledgeInSteps(documentOf({ facts, things })))
const inPlaybooks = (...playbooks: string[]) => ({ scope: { playbooks } })

t.test('C7: An exact Fact is found by its question or an alternate, however it is typed', async (t) => {
  const index = indexOf([
    fact('hours', 'When are you open?', { alternates: ['Öffnungszeiten', "What's on today?"] }),
    fact('plus', '営業時間は？'),
    fact('hello', 'Hello'),
  ])
  for (const text of [
    'When are you open?',
    'when are you open',
    ' WHEN   are\nyou open!!! ',
    'Hi, when are you open?',
    'hello there. When are you open, please? Thanks a lot!',
    'Good morning! When are you open? 🙂',
    'Offnungszeiten?',
    'whats on today',
    'what’s on today?',
    'please: what’s on today',
  ]) {
    t.equal(index.exactFact(text, undefined)?.id, 'hours', text)
  }
  t.equal(index.exactFact('営業時間は', undefined)?.id, 'plus')
  t.equal(index.exactFact('hello!', undefined)?.id, 'hello', 'a courtesy may be a question itself')
  for (const text of ['When are you open on Sunday?', 'you open', '', '?', 'thanks', 'When are you opening?']) {
    t.equal(index.exactFact(text, undefined), undefined, text)
  }
})

t.test('R41: A Fact that is disabled, unconfirmed or of another playbook is never read', async (t) => {
  const question = 'Where is the pool?'
  const readBy = (more: Partial<Fact>, playbookId: string | undefined) => {
    const index = indexOf([fact('pool', question, more)])
    const exact = index.exactFact(question, playbookId) !== undefined
    t.equal(index.facts('pool', playbookId, 3).length > 0, exact)
    t.equal(index.confidentFact('where is your pool', playbookId) !== undefined, exact)
    return exact
  }
  t.equal(readBy({}, 'a'), true)
  t.equal(readBy({}, undefined), true)
  t.equal(readBy({ enabled: true, confirmed: true }, 'a'), true)
  t.equal(readBy({ enabled: false }, 'a'), false)
  t.equal(readBy({ confirmed: false }, 'a'), false)
  t.equal(readBy(inPlaybooks('a', 'b'), 'b'), true)
  t.equal(readBy(inPlaybooks('a'), 'b'), false)
  t.equal(readBy(inPlaybooks('a'), undefined), false)
  t.equal(readBy(inPlaybooks(), 'a'), false)
  t.equal(readBy(inPlaybooks('a'), everyPlaybook), true)
  t.equal(readBy({ ...inPlaybooks('a'), confirmed: false }, everyPlaybook), false)
})

t.test('R41: Of two Facts with one question the playbook’s own is the answer', async (t) => {
  const question = 'How much is a haircut?'
  const index = indexOf([
    fact('everywhere', question),
    fact('later', question),
    fact('vip', question, inPlaybooks('vip')),
  ])
  const ask = (playbookId: string | undefined) => [
    index.exactFact(question, playbookId)?.id,
    index.confidentFact('haircut price', playbookId)?.fact.id,
    index
      .facts('haircut', playbookId, 3)
      .map(({ fact }) => fact.id)
      .join(),
  ]
  t.same(ask('vip'), ['vip', 'vip', 'vip'])
  t.same(ask('other'), ['everywhere', 'everywhere', 'everywhere'])
  t.same(index.facts('haircut', everyPlaybook, 3).length, 3, 'an operator finds all')
})

t.test('C7: A question is a nearer match than an alternate, and hides no other Fact from search', async (t) => {
  const index = indexOf([
    fact('garage', 'Where is the garage?', { alternates: ['Parking', 'Parking'] }),
    fact('parking', 'Parking'),
  ])
  t.equal(index.exactFact('parking?', undefined)?.id, 'parking')
  t.same(index.facts('parking', undefined, 3).length, 2)
  t.equal(index.confidentFact('do you have parking', undefined), undefined, 'both may be meant')
})

t.test('R41: Facts are searched by question, alternates and answer, in any form of a word; best first', async (t) => {
  const index = indexOf([
    fact('parking', 'Where can I park?', { alternates: ['garage'], answer: 'Behind the house, next to the oak.' }),
    fact('oak', 'Why the oak?', { answer: 'The oaks were here first.' }),
    fact('dogs', 'Are dogs allowed?', { answer: 'Yes.' }),
  ])
  const idsFor = (query: string) => index.facts(query, undefined, 3).map(({ fact }) => fact.id)
  t.same(idsFor('parking'), ['parking'])
  t.same(idsFor('do you have garages?'), ['parking'])
  t.same(idsFor('the oak'), ['oak', 'parking'])
  t.same(idsFor('may my DOG come'), ['dogs'])
  t.same(idsFor('zeppelin'), [])
  t.same(idsFor('where are you'), [], 'function words alone find nothing')
  const scores = index.facts('oak garage', undefined, 3).map(({ score }) => score)
  t.same(
    scores,
    scores.toSorted((one, other) => other - one),
  )
  t.equal(index.facts('oak', undefined, 1).length, 1)
  t.equal(index.confidentFact('behind the house', undefined), undefined, 'the answer alone is no question')
})

t.test('R43: Things are searched by name, then by what is said of them', async (t) => {
  const things: Thing[] = [
    { id: 'helmet', name: 'Helmet', description: 'For a road bike or a city bike.' },
    { id: 'road', name: 'Road bike', metadata: { frame: 'carbon' } },
    { id: 'tent', name: 'Tent' },
  ]
  const index = indexOf([], things)
  const idsFor = (query: string, limit = 5) => index.things(query, limit).map(({ thing }) => thing.id)
  t.same(idsFor('do you have road bikes'), ['road', 'helmet'])
  t.same(idsFor('Carbon'), ['road'])
  t.same(idsFor('bike', 1), ['road'])
  t.same(idsFor('canoe'), [])
  t.same(indexOf([]).things('bike', 5), [])
})

interface Outcome {
  readonly precision: number
  readonly recall: number
}

/** Precision counts answers to unrelated texts as wrong. */
function measure({ questions, unrelated }: FactCorpus, answerTo: (text: string) => string | undefined): Outcome {
  const answers = questions.map(([id, text]) => ({ id, answer: answerTo(text) })).filter(({ answer }) => answer)
  const right = answers.filter(({ id, answer }) => id === answer).length
  const wrong = answers.length - right + unrelated.filter((text) => answerTo(text) !== undefined).length
  return { precision: right / (right + wrong), recall: right / questions.length }
}

for (const [name, corpus] of Object.entries({ dentalPractice, hotel })) {
  t.test(`C7: A confident Fact is hardly ever wrong, and often found: ${name}`, async (t) => {
    t.ok(corpus.facts.length >= 60 && corpus.questions.length >= 100 && corpus.unrelated.length >= 100)
    const index = indexOf(factsOf(corpus))
    const outcome = measure(corpus, (text) => index.confidentFact(text, undefined)?.fact.id)
    t.ok(outcome.precision >= 0.98, `precision ${outcome.precision}`)
    t.ok(outcome.recall >= 0.7, `recall ${outcome.recall}`)
  })
}

t.test('C7: The confidence in a Fact holds for an agent of one Fact', async (t) => {
  for (const corpus of [dentalPractice, hotel]) {
    const outcomes = factsOf(corpus).map((each) => {
      const index = indexOf([each])
      const questions = corpus.questions.filter(([id]) => id === each.id)
      return {
        count: questions.length,
        ...measure({ ...corpus, questions }, (text) => index.confidentFact(text, undefined)?.fact.id),
      }
    })
    t.ok(outcomes.every(({ precision, count, recall }) => recall * count === 0 || precision === 1))
    const found = outcomes.reduce((sum, { recall, count }) => sum + recall * count, 0)
    t.ok(found / corpus.questions.length >= 0.7, `recall ${found / corpus.questions.length}`)
  }
})

t.test('C7: The confidence in a Fact holds among 5,000 Facts', async (t) => {
  const makes = Array.from({ length: 100 }, (_, nth) => `${'bcdfglmnprstvz'[nth % 14]}a${nth.toString(36)}lon`)
  const parts = 'pump hose filter valve gasket motor fan belt lamp switch'.split(' ')
  const askedAs: readonly (readonly [string, string])[] = [
    ['How much is the %?', 'what does the % cost'],
    ['Is the % in stock?', 'do you have the % in stock'],
    ['How do I install the %?', 'how can I install my %'],
    ['What is the warranty of the %?', 'how long is the warranty of the %'],
    ['Which color is the %?', 'what color does the % have'],
  ]
  const cases = makes.flatMap((make) =>
    parts.flatMap((part) =>
      askedAs.map(([question, asked], kind) => {
        const named = (text: string) => text.replace('%', `${make} ${part}`)
        return { id: `${make}-${part}-${kind}`, question: named(question), asked: named(asked) }
      }),
    ),
  )
  t.equal(cases.length, 5_000)
  const index = indexOf([...cases.map(({ id, question }) => fact(id, question)), ...factsOf(hotel)])
  const sample = cases.filter((_, nth) => nth % 50 === nth % 7)
  const questions = [...sample.map(({ id, asked }) => [id, asked] as const), ...hotel.questions]
  const outcome = measure({ ...hotel, questions }, (text) => index.confidentFact(text, undefined)?.fact.id)
  t.ok(outcome.precision >= 0.98, `precision ${outcome.precision}`)
  t.ok(outcome.recall >= 0.6, `recall ${outcome.recall}`)
  t.equal(index.confidentFact(`${makes[3]} pump`, undefined), undefined, 'which of five is not clear')
  t.equal(index.confidentFact('warranty', undefined), undefined)
})

t.test('C7: A confident Fact has its score and that of the second, with a clear lead', async (t) => {
  const index = indexOf(factsOf(dentalPractice))
  const texts = [...dentalPractice.questions.map(([, text]) => text), ...dentalPractice.unrelated]
  const found = texts.flatMap((text) => index.confidentFact(text, undefined) ?? [])
  t.ok(found.length > 50)
  t.ok(found.every(({ score, second }) => score > 0 && score <= 1 && score >= 1.5 * second))
  const alone = indexOf([fact('a', 'Is there a sauna?')]).confidentFact('do you have a sauna', undefined)
  t.match(alone, { score: 1, second: 0 })
})

t.test('Any text is answered, and more words than a question has are no confident question', async (t) => {
  const index = indexOf(factsOf(hotel))
  const property = fc.property(fc.string({ unit: 'binary' }), (text) => {
    index.exactFact(text, 'a')
    index.confidentFact(text, undefined)
    return index.facts(text, undefined, 2).length <= 2 && index.things(text, 2).length === 0
  })
  t.doesNotThrow(() => fc.assert(property))
  const long = Array.from({ length: limits.queryWords + 1 }, (_, nth) => `word${nth}`).join(' ')
  t.equal(indexOf([fact('long', long)]).confidentFact(long, undefined), undefined)
  t.equal(indexOf([fact('long', long)]).exactFact(long, undefined)?.id, 'long')
})

t.test('A large document is indexed in many steps, with the same answers', async (t) => {
  const facts = Array.from({ length: 3_000 }, (_, nth) => fact(`f${nth}`, `What about number${nth}?`))
  const things = [{ id: 'long', name: 'Long', description: 'word '.repeat(800) }]
  const steps = indexKnowledgeInSteps(documentOf({ facts, things }))
  let count = 0
  for (;;) {
    const { done, value } = steps.next()
    count++
    if (!done) continue
    t.equal(value.confidentFact('tell me about number1234', undefined)?.fact.id, 'f1234')
    break
  }
  t.ok(count > 10, `${count} steps`)
})
