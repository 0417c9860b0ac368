/** The traffic scenario: whether a page of messages costs the same however many records there are. */
import { ownWork } from '../../harness/load/http.js'
import type { Candidate, Scenario } from '../../harness/scenario.js'

const few = 10_000
/** `--filled 10000000` makes it ten million; the candidate then takes minutes to be ready. */
const many = 200_000

/** A store with few records is the limit of one with many. */
function pageCandidate(name: string, options: Pick<Candidate, 'about' | 'args' | 'filled'>): Candidate {
  return {
    name,
    role: options.filled === undefined ? 'limit' : 'ours',
    program: 'traffic/candidate',
    load: ownWork,
    ...options,
  }
}

const ofFew = ['--records', String(few)]

export const traffic: Scenario = {
  name: 'traffic',
  purpose: 'Pages of an agent’s messages, gathered from all shards, with little and with much on record.',
  unit: 'pages',
  seconds: 2,
  rounds: 5,
  candidates: [
    pageCandidate('page of few', { about: `The newest 200 of ${few} records.`, args: ofFew }),
    pageCandidate('page of many', { about: 'The newest 200 of as many as --filled says.', filled: many }),
    pageCandidate('person of few', { about: `One person's 100 of ${few} records.`, args: [...ofFew, '--one'] }),
    pageCandidate('person of many', { about: "One person's 100 of as many.", args: ['--one'], filled: many }),
  ],
  ratios: [
    { metric: 'p50', of: 'page of many', over: 'page of few', atMost: 2 },
    { metric: 'p50', of: 'person of many', over: 'person of few', atMost: 2 },
    { metric: 'cpu', of: 'page of many', over: 'page of few' },
  ],
}
