/**
 * A record with fields set that it may not have had. A spread says the same, but in the V8 of Node 20 every object that
 * gains a field behind `{ ...record }` gets a hidden class of its own: making it takes microseconds, it lies in old space,
 * and whoever reads the object misses their inline caches. So fields that are new to an object stand before a spread, or
 * are set with this. So are those of a record that is copied over and over, one copy from another: each spread gives its
 * copy a class that the next one does not know.
 */
export function having<T extends object, F extends object>(record: T, fields: F): T & F {
  return Object.assign({}, record, fields)
}

/** A record of that kind while it is made. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] }
