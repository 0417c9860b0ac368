/** Character classes of expressions. */

export type CharTest = (char: string) => boolean

const escapes: Readonly<Record<string, CharTest>> = {
  d: (char) => /^\d$/.test(char),
  D: (char) => !/^\d$/.test(char),
  w: isWordChar,
  W: (char) => !isWordChar(char),
  s: (char) => /^\s$/.test(char),
  S: (char) => !/^\s$/.test(char),
}

const properties: Readonly<Record<string, CharTest>> = {
  L: (char) => /^\p{L}$/u.test(char),
  Letter: (char) => /^\p{L}$/u.test(char),
  Lu: (char) => /^\p{Lu}$/u.test(char),
  Ll: (char) => /^\p{Ll}$/u.test(char),
  M: (char) => /^\p{M}$/u.test(char),
  N: (char) => /^\p{N}$/u.test(char),
  Nd: (char) => /^\p{Nd}$/u.test(char),
  P: (char) => /^\p{P}$/u.test(char),
  S: (char) => /^\p{S}$/u.test(char),
  Sc: (char) => /^\p{Sc}$/u.test(char),
  Z: (char) => /^\p{Z}$/u.test(char),
  Emoji_Presentation: (char) => /^\p{Emoji_Presentation}$/u.test(char),
  Extended_Pictographic: (char) => /^\p{Extended_Pictographic}$/u.test(char),
}

export function escapedClass(char: string): CharTest | undefined {
  return Object.hasOwn(escapes, char) ? escapes[char] : undefined
}

export function propertyClass(name: string): CharTest | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined
}

export function isWordChar(char: string | undefined): boolean {
  return char !== undefined && /^\w$/.test(char)
}
