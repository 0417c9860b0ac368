/** Text of an operator as a message may hold it: documents accept characters that messages refuse. */

/** Without NUL and halves of surrogate pairs; empty when nothing can be seen. */
export function sayableText(text: string): string {
  const clean = text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '')
  return clean.trim() === '' ? '' : clean
}
