/**
 * The answers to clients, checked as they come: every owner's list only grows, and no read shows less than was known.
 */
import type { Appended, AppendInput, Listed } from './commands.js'

/** One append, however often it was sent. */
export interface AppendRequest {
  readonly input: AppendInput
  readonly id?: string
  /** The known length of the owner's list when the append was first sent. */
  readonly floor: number
  /** Whether some attempt of it may have been decided without an answer. */
  maybe: boolean
  answer?: Appended
}

export type AppendOutcome = 'acknowledged' | 'not decided' | 'unknown'

export function outcomeOf({ answer, maybe }: AppendRequest): AppendOutcome {
  if (answer) return 'acknowledged'
  return maybe ? 'unknown' : 'not decided'
}

export interface History {
  readonly violations: readonly string[]
  addViolation(sentence: string): void
  beginAppend(input: AppendInput, id?: string): AppendRequest
  acknowledged(request: AppendRequest, answer: Appended, where: string): void
  /** The known length of an owner's list: a read that begins now must show at least as much. */
  floor(owner: string): number
  /** The acknowledged length, regardless of reads: a commit can be read a moment before its acknowledgement. */
  acknowledgedFloor(owner: string): number
  read(owner: string, floor: number, seen: Listed, where: string): void
  /** The servers have lost acknowledged commits: from now on reads may show less than was known. */
  forgive(): void
  isForgiving(): boolean
  requests(): readonly AppendRequest[]
  /** The longest list of an owner that any read has shown. */
  longest(owner: string): readonly string[]
  counts(): Counts
}

export interface Counts {
  acknowledged: number
  reads: number
  notDecided: number
  unknown: number
}

export function openHistory(note: (line: string) => void, ignored?: RegExp): History {
  const violations: string[] = []
  const requests: AppendRequest[] = []
  const floors = new Map<string, number>()
  const acknowledgedFloors = new Map<string, number>()
  const longest = new Map<string, readonly string[]>()
  const requestsByPlace = new Map<string, AppendRequest>()
  let reads = 0
  let forgiving = false

  function addViolation(sentence: string): void {
    if (ignored?.test(sentence)) return
    note(`VIOLATION ${sentence}`)
    violations.push(sentence)
  }

  function raiseFloor(owner: string, count: number): void {
    floors.set(owner, Math.max(floors.get(owner) ?? 0, count))
  }

  function checkPlaces(owner: string, values: readonly string[], where: string): void {
    if (forgiving) return
    const before = longest.get(owner) ?? []
    const shared = Math.min(before.length, values.length)
    for (let at = 0; at < shared; at++) {
      if (before[at] === values[at]) continue
      addViolation(`${where} shows ${values[at]} at place ${at + 1} of ${owner}, where ${before[at]} was seen before`)
      return
    }
    if (values.length > before.length) longest.set(owner, values)
  }

  return {
    violations,
    addViolation,
    beginAppend(input, id) {
      const one: AppendRequest = { input, id, floor: floors.get(input.owner) ?? 0, maybe: false }
      requests.push(one)
      return one
    },
    acknowledged(one, answer, where) {
      const { owner, value } = one.input
      if (!forgiving && one.answer && JSON.stringify(one.answer) !== JSON.stringify(answer)) {
        addViolation(
          `${value} was answered ${JSON.stringify(one.answer)}, and the same again ${JSON.stringify(answer)}`,
        )
      }
      one.answer = answer
      if (forgiving) return
      if (!(answer.count > one.floor)) {
        addViolation(
          `${where} put ${value} at place ${answer.count} of ${owner}, asked for when ${one.floor} were there`,
        )
      }
      const placeKey = `${owner} ${answer.count}`
      const other = requestsByPlace.get(placeKey)
      if (other && other !== one) addViolation(`${value} and ${other.input.value} were both put at place ${placeKey}`)
      requestsByPlace.set(placeKey, one)
      raiseFloor(owner, answer.count)
      acknowledgedFloors.set(owner, Math.max(answer.count, acknowledgedFloors.get(owner) ?? 0))
    },
    acknowledgedFloor: (owner) => acknowledgedFloors.get(owner) ?? 0,
    floor: (owner) => floors.get(owner) ?? 0,
    read(owner, floor, seen, where) {
      reads++
      const { values, count, marks } = seen
      if (values.length !== count || values.length !== marks) {
        const twice = values.filter((value, placeKey) => values.indexOf(value) !== placeKey)
        const summary = `${values.length} values, a count of ${count} and ${marks} marks of ${owner}`
        addViolation(`${where} shows ${summary}${twice.length > 0 ? `, twice ${twice.join(', ')}` : ''}`)
      }
      if (values.length < floor && !forgiving) {
        addViolation(
          `${where} shows ${values.length} values of ${owner} after ${floor} were known: ${values.slice(-3)}`,
        )
      }
      checkPlaces(owner, values, where)
      raiseFloor(owner, values.length)
    },
    forgive() {
      forgiving = true
    },
    isForgiving: () => forgiving,
    requests: () => requests,
    longest: (owner) => longest.get(owner) ?? [],
    counts() {
      const of = (outcome: AppendOutcome) => requests.filter((one) => outcomeOf(one) === outcome).length
      return { acknowledged: of('acknowledged'), reads, notDecided: of('not decided'), unknown: of('unknown') }
    },
  }
}
