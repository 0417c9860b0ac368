/** The descriptor: channel, provider, traits, and the credential form for operators. */
// @ts-check
import { contractVersion, traitsOf } from 'parley/adapters/kit'

/** @typedef {import('parley/adapters/kit').Descriptor} Descriptor */
/** @typedef {{ accountId: string, apiKey: string, signingSecret: string, apiUrl?: string }} Auth */

export const signatureHeader = 'x-{{provider}}-signature'
export const timestampHeader = 'x-{{provider}}-timestamp'

/** @param {string} title @param {string} description */
const secret = (title, description) => ({
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  writeOnly: true,
  title,
  description,
})

/** The credential form, a closed JSON Schema; secrets are `writeOnly`. */
const credentials = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: /** @type {const} */ ('object'),
  additionalProperties: false,
  required: ['accountId', 'apiKey', 'signingSecret'],
  properties: {
    accountId: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      title: 'Account',
      description: 'Id of the account.',
    },
    apiKey: secret('API key', 'The key that messages are sent with.'),
    signingSecret: secret('Signing secret', 'The secret that signs what {{provider}} sends to us.'),
    apiUrl: {
      type: 'string',
      format: 'uri',
      pattern: '^https?://',
      maxLength: 2048,
      title: 'API address',
      description: 'Replaces the address of the provider, for an emulator or a proxy.',
    },
  },
}

/** @type {Descriptor} */
export const descriptor = {
  contract: contractVersion,
  channel: '{{channel}}',
  provider: '{{provider}}',
  // The most that the channel can show. If your provider takes less, narrow the traits: messages are rendered to fit.
  traits: traitsOf('{{channel}}'),
  form: {
    provider: '{{provider}}',
    name: '{{provider}}',
    description: 'Your own account at {{provider}}.',
    steps: [
      'Create an API key and a signing secret in the console of {{provider}}.',
      'Save this form, then enter the ingress address of the channel as the webhook there.',
    ],
    credentials,
  },
  headers: [signatureHeader, timestampHeader],
}
