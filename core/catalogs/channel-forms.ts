/** What channel setups share: business inputs, the address override, the emulator, and the text for each status. */

import type { ProviderForm } from '../channel/form.js'
import { emailField, form, listField, phoneField, textField, urlField } from './forms.js'
import type { ChannelSetup, ChannelStatus, StatusCopy } from './shapes.js'

/** Fields named as in an agent's identity are prefilled from it. */
export const business = {
  displayName: textField('Display name', 'What people see as the sender.', { maxLength: 40 }),
  description: textField('Short description', 'One line about the business, shown beside its name.', {
    maxLength: 100,
  }),
  legalName: textField('Registered name', 'Name of the company as registered.'),
  registrationNumber: textField('Registration number', 'Tax or company number of the registered business.', {
    maxLength: 64,
  }),
  legalAddress: textField('Registered address', 'Street, postal code, town and country.', { maxLength: 500 }),
  smallLogoUrl: urlField('Logo', 'Square picture of at least 224 by 224 pixels.'),
  largeBannerUrl: urlField('Banner', 'Wide picture of 1440 by 448 pixels.'),
  brandColor: textField('Color', 'Hex color that stands out against white.', { pattern: '^#[0-9a-fA-F]{6}$' }),
  contactEmail: emailField('Contact email', 'Where customers can write to.'),
  contactPhone: phoneField('Contact phone', 'Where customers can call, with country code.'),
  websiteUrl: urlField('Website', 'Public website of the business.'),
  privacyPolicyUrl: urlField('Privacy policy', 'Public page with the privacy policy.'),
  termsOfServiceUrl: urlField('Terms of service', 'Public page with the terms.'),
  responsibleName: textField('Responsible person', 'Who is responsible for the request inside the business.'),
  responsibleEmail: emailField('Their email', 'An address of the domain of the website; approval questions go there.'),
  countries: listField(
    'Countries',
    'Countries of the recipients, as two-letter codes.',
    { type: 'string', pattern: '^[A-Z]{2}$' },
    1,
    50,
  ),
  optInDescription: textField('How people agree', 'Where and with which words people agree to get messages.', {
    minLength: 20,
    maxLength: 2000,
  }),
  sampleMessages: listField(
    'Sample messages',
    'Messages as people will get them, with the name of the business in the first.',
    { type: 'string', minLength: 10, maxLength: 1000 },
    2,
    5,
  ),
} as const

type BusinessField = keyof typeof business

export function pick(...names: BusinessField[]): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  return Object.fromEntries(names.map((name) => [name, business[name]]))
}

/** Business inputs are open: missing ones are asked for while the channel is set up, and refuse no request. */
export function inputs(properties: Parameters<typeof form>[0], required: readonly string[]) {
  return form(properties, required, { additionalProperties: true })
}

export const apiUrl = urlField('API address', 'Replaces the address of the provider, for an emulator or a proxy.')

export const emulator: ProviderForm = {
  provider: 'emulator',
  name: 'Emulator',
  description: 'The built-in emulator of this channel: nothing leaves the installation and no account is needed.',
  steps: [],
  credentials: form({}),
}

const defaultCopy: Readonly<Record<ChannelStatus, StatusCopy>> = {
  Requested: {
    headline: 'Request received',
    text: 'The request is in the queue. There is nothing for you to do yet, and you can still withdraw it.',
  },
  Provisioning: {
    headline: 'Being set up',
    text: 'The channel is being registered with the provider. The agent can be edited meanwhile.',
  },
  ActionRequired: {
    headline: 'We need something from you',
    text: 'The detail below says what is missing. Complete the form and the setup goes on by itself.',
  },
  Active: { headline: 'Ready', text: 'The agent sends and receives on this channel.' },
  Failed: {
    headline: 'Could not be set up',
    text: 'The detail below says why. Remove the channel, fix the cause and request it again.',
  },
  Disabled: {
    headline: 'Switched off',
    text: 'Nothing is sent or received here. Conversations are kept, and switching it on again continues them.',
  },
}

/** The default texts, with those that a channel overrides. */
export function statusCopy(overrides: Partial<Record<ChannelStatus, StatusCopy>> = {}): ChannelSetup['provisioning'] {
  return { ...defaultCopy, ...overrides }
}
