/** Keys of records as they lie in the file of a node. */

export type RecordKey = (string | number)[]

/** Of a table by owner: everything of one owner lies together, behind all other tables. */
export function ofOwner(owner: string, table: string, ...rest: RecordKey): RecordKey {
  return ['~', owner, table, ...rest]
}
