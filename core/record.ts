/** A record while it is made. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] }
