/** The form by which operators bind a provider: the steps on the provider's side, and the credentials to enter. */
import Type, { type Static } from 'typebox'
import { slugPattern } from '../ids.js'
import { catalog } from '../limits/index.js'

/** A JSON Schema of draft 2020-12 for an object: the members of a form, or the arguments of a tool. */
export const FormSchema = Type.Object(
  { type: Type.Literal('object'), properties: Type.Record(Type.String(), Type.Unknown()) },
  { additionalProperties: true, title: 'FormSchema' },
)
export type FormSchema = Static<typeof FormSchema>

/** Names and sentences of forms have the limits of all catalog entries. */
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
