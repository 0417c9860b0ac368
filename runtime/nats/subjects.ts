/** Names of streams and subjects on the servers: each begins with Parley's prefix, and the caller's words follow it. */

/** Words of letters, digits and dashes, separated by single dots: no wildcard, no space, no empty word. */
const words = /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/

export function checkWords(text: string): string {
  if (!words.test(text)) throw new RangeError(`"${text}" cannot be part of a subject: it wants words separated by dots`)
  return text
}

export const rpcSubject = (subject: string) => `parley.${checkWords(subject)}`

export const logStream = (shard: number) => `PARLEY_SHARD_${shard}`
export const logSubject = (shard: number) => `parley.log.${shard}`

/**
 * Buckets and objects have the layout of the NATS key-value and object stores, so that the NATS tools can show them.
 */
export const bucketStream = (bucket: string) => `KV_${bucket}`
export const bucketSubjects = (bucket: string) => `$KV.${bucket}.>`
export const keyOfSubject = (bucket: string, subject: string) => subject.slice(`$KV.${bucket}.`.length)

export const storeStream = (store: string) => `OBJ_${store}`
/** Any text may name an object: in a subject it is one word. */
export const objectWord = (name: string) => Buffer.from(name).toString('base64url')
export const metaSubject = (store: string, name: string) => `$O.${store}.M.${paddedWord(name)}`
export const metaSubjects = (store: string) => `$O.${store}.M.>`
export const chunkSubject = (store: string, id: string) => `$O.${store}.C.${id}`
export const storeSubjects = (store: string) => [`$O.${store}.C.>`, `$O.${store}.M.>`]

/** The NATS tools expect the padding. */
function paddedWord(name: string): string {
  const word = objectWord(name)
  return word.padEnd(Math.ceil(word.length / 4) * 4, '=')
}
