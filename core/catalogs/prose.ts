/** Helper for catalog text that is indented with the source code. */
import type { ExampleLine } from './shapes.js'

/** Tag of a template literal: removes the indentation of the source and the outer line breaks. */
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
