/** Credential forms as validators, with the schema engine and the strictness of a node. */
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

/** Every mismatch of the value, with its path. */
export function schemaProblems(schema: object, value: unknown): readonly string[] {
  const validate = ajv.compile(schema)
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'it'} ${message}`)
}

/** Whether the form has this field, spelt as `serviceAccount.private_key` or `numbers[0]`. */
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
