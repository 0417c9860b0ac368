/** Keys of records as in the file of a node. */

export type RecordKey = (string | number)[]

/** Key in a table by owner: all records of one owner lie together, behind all other tables. */
export function ofOwner(owner: string, table: string, ...rest: RecordKey): RecordKey {
  return ['~', owner, table, ...rest]
}
