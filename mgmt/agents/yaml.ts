/** Documents as YAML: what people keep in a repository and read. Nothing of YAML comes in that JSON does not have. */
import { parseDocument, stringify } from 'yaml'
import { invalid, type Refusal, refuse } from '../../core/errors.js'
import { agentDocument as limits } from '../../core/limits.js'

export const yamlType = 'application/yaml'
export const yamlTypes = [yamlType, 'application/x-yaml', 'text/yaml', 'text/x-yaml'] as const

export function writeYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })
}

/** Aliases are refused altogether: a few of them unfold into more than any memory holds. */
export function readYaml(bytes: Uint8Array): { readonly value: unknown } | Refusal {
  if (bytes.length > limits.yamlBytes) {
    return refuse('request.too_large', { detail: `YAML is read up to ${limits.yamlBytes} bytes, JSON further.` })
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const document = parseDocument(text, { schema: 'core', stringKeys: true, prettyErrors: false })
    const [wrong] = [...document.errors, ...document.warnings]
    if (wrong) return unreadable(`${wrong.message} (at character ${wrong.pos[0]})`)
    return { value: document.toJS({ maxAliasCount: 0 }) as unknown }
  } catch (error) {
    return unreadable(error instanceof RangeError ? 'it is nested too deep' : (error as Error).message)
  }
}

function unreadable(why: string): Refusal {
  return invalid('', `is not YAML as it is read here: ${why.slice(0, limits.yamlWhyChars)}`)
}
