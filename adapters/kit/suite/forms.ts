/** Credential forms as checks, made with the same engine and as strictly as a node makes them. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

const ajv = new Ajv2020({ strict: true, discriminator: true, allErrors: true, allowUnionTypes: true })
formats.default(ajv)

export type FormCheck = (value: unknown) => boolean

export function compileForm(schema: object): { readonly fits: FormCheck } | { readonly problem: string } {
  try {
    const validate = ajv.compile(schema)
    return { fits: (value) => validate(value) === true }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

/** What of a value does not fit, each with its place. */
export function schemaProblems(schema: object, value: unknown): readonly string[] {
  const validate = ajv.compile(schema)
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'it'} ${message}`)
}

/** Whether a form has such a field, spelt as `serviceAccount.private_key` or `numbers[0]`. */
export function hasField(schema: unknown, field: string): boolean {
  const names = field.replace(/\[\d+\]/g, '.[]').split('.')
  let node = schema as { readonly properties?: Record<string, unknown>; readonly items?: unknown } | undefined
  for (const name of names) {
    const inner =
      name === '[]' ? node?.items : node?.properties && Object.hasOwn(node.properties, name) && node.properties[name]
    if (!inner) return false
    node = inner
  }
  return true
}
