/** The imports that contained a person, limited to the newest. */
import { person as limits } from '../limits/index.js'
import type { Person } from './person.js'

/** Oldest first. Older records have the last import only. */
export function batchesOf({ importBatches, importBatchId }: Person): readonly string[] {
  return importBatches ?? (importBatchId === undefined ? [] : [importBatchId])
}

export function addBatch(person: Person, importBatchId: string): Person {
  if (person.importBatchId === importBatchId) return person
  const others = batchesOf(person).filter((id) => id !== importBatchId)
  return { ...person, importBatchId, importBatches: [...others, importBatchId].slice(-limits.importBatches) }
}

/** The imports of two merged records, with the survivor's last one at the end. */
export function mergeBatches(survivor: Person, duplicate: Person): Pick<Person, 'importBatchId' | 'importBatches'> {
  const all = [...new Set([...batchesOf(duplicate), ...batchesOf(survivor)])].slice(-limits.importBatches)
  const importBatchId = all.at(-1)
  return importBatchId === undefined ? {} : { importBatchId, importBatches: all }
}
