/** The address space of this process, which must have room for the map of the data file. */
import { readFileSync } from 'node:fs'
import { StoreUnusable } from './contract.js'

const gibibyte = 1024 ** 3

/** Refuses with a sentence where LMDB would end the process. Only Linux reports the limit. */
export function checkAddressSpace(mapBytes: number, limits: string = readOwnLimits()): void {
  const limitBytes = Number(/^Max address space\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
  if (limitBytes > mapBytes) return
  const [has, needs] = [limitBytes, mapBytes].map((bytes) => `${Math.floor(bytes / gibibyte)} GiB`)
  throw new StoreUnusable(
    `This process may use ${has} of addresses and the data needs ${needs}, most of it never memory. ` +
      'Lift the limit (`ulimit -v unlimited`, or LimitAS=infinity).',
  )
}

function readOwnLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'latin1')
  } catch {
    return ''
  }
}
