/** The imports that a person was read in by: every one of them counts, the newest are kept. */
import { person as limits } from '../limits/index.js'
import type { Person } from './person.js'

/** Oldest first. Records of before several were kept know the last one alone. */
export function batchesOf({ importBatches, importBatchId }: Person): readonly string[] {
  return importBatches ?? (importBatchId === undefined ? [] : [importBatchId])
}

export function addBatch(person: Person, importBatchId: string): Person {
  if (person.importBatchId === importBatchId) return person
  const others = batchesOf(person).filter((id) => id !== importBatchId)
  return { ...person, importBatchId, importBatches: [...others, importBatchId].slice(-limits.importBatches) }
}

/** Of two records that become one: those of both, and the last of the one that stays. */
export function mergeBatches(survivor: Person, duplicate: Person): Pick<Person, 'importBatchId' | 'importBatches'> {
  const all = [...new Set([...batchesOf(duplicate), ...batchesOf(survivor)])].slice(-limits.importBatches)
  const importBatchId = all.at(-1)
  return importBatchId === undefined ? {} : { importBatchId, importBatches: all }
}
