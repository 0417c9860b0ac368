/** The form by which operators bind a provider: what they do on its side, and the credentials they enter. */
import Type, { type Static } from 'typebox'
import { slugPattern } from '../ids.js'
import { catalog } from '../limits/index.js'

/** A JSON Schema of draft 2020-12 for an object: what a form asks for, or what a tool is called with. */
export const FormSchema = Type.Object(
  { type: Type.Literal('object'), properties: Type.Record(Type.String(), Type.Unknown()) },
  { additionalProperties: true, title: 'FormSchema' },
)
export type FormSchema = Static<typeof FormSchema>

/** The name and the sentences of a form, as of every entry of a catalog. */
export const shortName = Type.String({ minLength: 1, maxLength: catalog.nameChars })
export const sentence = Type.String({ minLength: 1, maxLength: catalog.descriptionChars })

export const ProviderForm = Type.Object(
  {
    provider: Type.String({ pattern: slugPattern }),
    name: shortName,
    description: sentence,
    /** The operator's steps on the provider's side, in order. */
    steps: Type.Array(sentence),
    credentials: FormSchema,
  },
  { additionalProperties: false, title: 'ProviderForm' },
)
export type ProviderForm = Static<typeof ProviderForm>
