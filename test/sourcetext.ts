/** The parts of a text that a rule of the tree reads: code without comments or literals, file names of a document. */

export function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '')
}

/** Code without its string literals, template literals and regular expressions. */
export function withoutTexts(text: string): string {
  return text.replace(
    /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`|(?<=[(,=:[!&|?{};\n]\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g,
    "''",
  )
}

/** The TypeScript files in the code spans of a document, as it writes them, without `./` and `../`. */
export function sourcesNamedIn(document: string): string[] {
  const spans = [...document.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!)
  return spans.flatMap((span) => [...span.matchAll(/(?:\.{1,2}\/)*([\w./-]+\.ts)\b/g)].map((match) => match[1]!))
}
