/** The store scenario: the cost of the durable group commit beside lmdb doing the same writes. */
import { ownWork } from '../../harness/load/http.js'
import type { Scenario } from '../../harness/scenario.js'

export const store: Scenario = {
  name: 'store',
  purpose: 'Durable commits of one record of 300 bytes, 64 writers each waiting for the disk before its next.',
  unit: 'commits',
  seconds: 2,
  rounds: 7,
  candidates: [
    {
      name: 'bare lmdb',
      role: 'limit',
      about: 'lmdb with the settings of our store: a put for each record, awaited until flushed.',
      program: 'store/limit-lmdb',
      args: ['--our-settings'],
      load: ownWork,
    },
    {
      name: 'bare lmdb, its defaults',
      role: 'limit',
      about: 'The same with the settings lmdb has by itself.',
      program: 'store/limit-lmdb',
      load: ownWork,
    },
    {
      name: 'ours',
      role: 'ours',
      about: 'A commit of our store for each record.',
      program: 'store/candidate',
      load: ownWork,
    },
    {
      name: 'ours, async',
      role: 'ours',
      about: 'The same with write-behind, as on a node of a cluster: done once readers see it.',
      program: 'store/candidate',
      args: ['--async'],
      load: ownWork,
    },
  ],
  ratios: [
    { metric: 'rate', of: 'ours', over: 'bare lmdb', atLeast: 0.7 },
    { metric: 'rate', of: 'ours', over: 'bare lmdb, its defaults' },
    { metric: 'rate', of: 'ours, async', over: 'ours' },
    { metric: 'p99', of: 'ours', over: 'bare lmdb' },
    { metric: 'cpu', of: 'ours', over: 'bare lmdb' },
  ],
}
