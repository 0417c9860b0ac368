/** Checks after the faults that every promise held: in every book, at the receiver, on every node. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Book, mirrorOf } from './books.js'
import { call } from './call.js'
import type { FaultNode } from './faultnode.js'
import { type History, outcomeOf, type Write } from './history.js'
import type { Arrived, Receiver } from './receiver.js'
import { timeoutMs } from './timeout.js'

export interface Verdict {
  readonly acknowledged: number
  readonly unknown: number
  readonly undecided: number
  /** Missing entries, effects, marks and mirror entries. */
  readonly missing: number
  /** Entries, effects (as a deduplicating receiver counts them), marks and mirror entries that occur more than once. */
  readonly doubled: number
  /** Effects that a node began between the loss of its shard and its notice of the loss. */
  readonly late: number
  /** All violations, each as a sentence. */
  readonly problems: readonly string[]
  /** The end of each node's output. */
  readonly printed: ReadonlyMap<string, string>
}

export interface Trial {
  readonly books: readonly string[]
  readonly faultNodes: readonly FaultNode[]
  readonly history: History
  readonly receiver: Receiver
}

const readMs = 30_000
const pollEveryMs = 100

/** The most sentences that one trial prints. */
const maxProblems = 50

export async function judge({ books, faultNodes, history, receiver }: Trial): Promise<Verdict> {
  const problems: string[] = []
  const count = { missing: 0, doubled: 0 }
  function addFinding(kind: 'missing' | 'doubled' | undefined, sentence: string): void {
    if (kind) count[kind]++
    if (problems.length < maxProblems) problems.push(sentence)
  }

  const presentValues = new Set<string>()
  // A write that its client gave up may still take effect, so reads follow the order of causes.
  const posts = [...receiver.arrived]
  for (const book of books) {
    const contents = await compareNodes(book, faultNodes, receiver, addFinding)
    for (const { value } of contents.book.entries) presentValues.add(value)
    const writes = history.writes.filter((write) => write.book === book)
    judgeEntries(book, contents.book, writes, addFinding)
    judgeFollowers(contents, receiver, addFinding)
  }
  judgePosts(posts, presentValues, addFinding)
  for (const sentence of history.violations) addFinding(undefined, sentence)
  for (const faultNode of faultNodes) for (const sentence of faultNode.surprises()) addFinding(undefined, sentence)
  const outcomes = history.writes.map(outcomeOf)
  const of = (outcome: string) => outcomes.filter((each) => each === outcome).length
  const printed = new Map(faultNodes.map((faultNode) => [faultNode.name, faultNode.printed()]))
  const late = receiver.arrived.filter(({ part }) => part !== 'owner').length
  const writeCounts = { acknowledged: of('acknowledged'), unknown: of('unknown'), undecided: of('undecided') }
  return { ...writeCounts, ...count, late, problems, printed }
}

type AddFinding = (kind: 'missing' | 'doubled' | undefined, sentence: string) => void

interface BookContents {
  readonly book: Book
  readonly mirror: Book
}

/** Waits until every node shows the same state, at the latest after the last abandoned write has taken effect. */
async function compareNodes(
  name: string,
  faultNodes: readonly FaultNode[],
  receiver: Receiver,
  addFinding: AddFinding,
): Promise<BookContents> {
  for (const ends = performance.now() + timeoutMs; ; await sleep(pollEveryMs)) {
    const firstContents = await waitUntilDelivered(name, faultNodes[0]!, receiver)
    const seen = await Promise.all(faultNodes.map((faultNode) => readBook(faultNode, name)))
    const at = seen.findIndex((book) => JSON.stringify(book) !== JSON.stringify(firstContents.book))
    if (at < 0) return firstContents
    if (performance.now() < ends) continue
    const [first, other] = [faultNodes[0]!.name, faultNodes[at]!.name]
    addFinding(
      undefined,
      `${other} shows ${seen[at]?.count} entries of ${name}, and ${first} ${firstContents.book.count}, or they differ`,
    )
    return firstContents
  }
}

/** Waits until every effect, mark and mirror entry of a book is there, or until the timeout. */
async function waitUntilDelivered(name: string, faultNode: FaultNode, receiver: Receiver): Promise<BookContents> {
  for (const ends = performance.now() + timeoutMs; ; await sleep(pollEveryMs)) {
    const mirror = await readBook(faultNode, mirrorOf(name))
    const book = await readBook(faultNode, name)
    const over = performance.now() > ends
    if (!book || !mirror) {
      if (over) throw new Error(`${faultNode.name} does not show ${name} although nothing fails any more`)
      continue
    }
    const done = book.entries.every(({ value, marks }) => marks > 0 && receiver.of(value).some(({ failed }) => !failed))
    if (over || (done && mirror.entries.length >= book.entries.length)) return { book, mirror }
  }
}

async function readBook(faultNode: FaultNode, book: string): Promise<Book | undefined> {
  const { answer, problem } = await call<Book>(faultNode, 'GET', `/books/${book}`, readMs)
  if (problem) throw new Error(problem)
  return answer
}

/** Compares the entries of a book with the answers to its writers. */
export function judgeEntries(name: string, book: Book, writes: readonly Write[], addFinding: AddFinding): void {
  const values = book.entries.map(({ value }) => value)
  if (book.count !== values.length)
    addFinding(undefined, `${name} counts ${book.count} entries and has ${values.length}`)
  for (const [value, times] of repeatsOf(values)) addFinding('doubled', `${value} is in ${name} ${times} times`)
  const writesByValue = new Map(writes.map((write) => [write.value, write]))
  for (const value of values) {
    const write = writesByValue.get(value)
    if (!write) addFinding(undefined, `${value} is in ${name}, and nobody wrote it there`)
    else if (outcomeOf(write) === 'undecided')
      addFinding(undefined, `${value} is in ${name} after its writer was told that it is not`)
  }
  for (const { value, answer } of writes) {
    if (!answer) continue
    const there = book.entries[answer.place - 1]
    if (there?.value !== value) {
      addFinding(
        'missing',
        `${value} was acknowledged at place ${answer.place} of ${name}, where ${there?.value ?? 'nothing'} is`,
      )
    } else if (there.attempt !== answer.attempt) {
      addFinding(
        undefined,
        `try ${answer.attempt} of ${value} was acknowledged in ${name}, and try ${there.attempt} is kept`,
      )
    }
  }
}

/** Checks the consequences of each entry: its effect, its mark and its mirror entry. */
function judgeFollowers({ book, mirror }: BookContents, receiver: Receiver, addFinding: AddFinding): void {
  const mirrored = mirror.entries.map(({ value }) => value)
  if (mirror.count !== mirrored.length)
    addFinding(undefined, `a mirror counts ${mirror.count} and has ${mirrored.length}`)
  for (const [value, times] of repeatsOf(mirrored)) addFinding('doubled', `the mirror heard ${value} ${times} times`)
  const mirroredCount = new Set(mirrored)
  const written = new Set(book.entries.map(({ value }) => value))
  for (const value of mirroredCount)
    if (!written.has(value)) addFinding(undefined, `the mirror heard ${value}, which is not in the book`)
  for (const [at, { value, marks }] of book.entries.entries()) {
    const own = receiver.of(value)
    if (!mirroredCount.has(value)) addFinding('missing', `the mirror never heard ${value}`)
    if (!own.some(({ failed }) => !failed)) addFinding('missing', `the effect of ${value} was never performed`)
    if (new Set(own.map(({ id }) => id)).size > 1)
      addFinding('doubled', `the effect of ${value} came under several ids`)
    if (own.some(({ index }) => index !== at + 1))
      addFinding(undefined, `the effect of ${value} names another place than ${at + 1}`)
    if (marks === 0) addFinding('missing', `the timer of ${value} never went off`)
    if (marks > 1) addFinding('doubled', `the timer of ${value} went off ${marks} times`)
  }
}

/** An epoch of a shard belongs to one node, and every effect belongs to an existing entry. */
function judgePosts(posts: readonly Arrived[], presentValues: ReadonlySet<string>, addFinding: AddFinding): void {
  const owners = new Map<string, string>()
  for (const { shard, part, epoch, node, value } of posts) {
    if (!presentValues.has(value)) addFinding(undefined, `an effect of ${value} was performed, which is nowhere`)
    if (part !== 'owner') continue
    const tenure = `epoch ${epoch} of shard ${shard}`
    const owner = owners.get(tenure) ?? node
    owners.set(tenure, owner)
    if (owner !== node)
      addFinding(undefined, `${node} performed the effect of ${value} in ${tenure}, which was ${owner}’s`)
  }
}

function repeatsOf(values: readonly string[]): [value: string, times: number][] {
  const times = new Map<string, number>()
  for (const value of values) times.set(value, (times.get(value) ?? 0) + 1)
  return [...times].filter(([, count]) => count > 1)
}
