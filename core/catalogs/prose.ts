/** Ways to write catalog text so that it reads in the source as it will read in use. */
import type { ExampleLine } from './shapes.js'

/** A template literal indented with the code around it; that indentation and the outer line breaks are taken off. */
export function prose(template: TemplateStringsArray): string {
  const lines = template.join('').replace(/^\n/, '').trimEnd().split('\n')
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const margin = Math.min(...indents)
  return lines.map((line) => line.slice(margin).trimEnd()).join('\n')
}

export function user(content: string): ExampleLine {
  return { role: 'user', content }
}

export function agent(content: string): ExampleLine {
  return { role: 'agent', content }
}
