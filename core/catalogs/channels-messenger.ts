/** Setup of the messenger channels. */

import type { ProviderForm } from '../channel/form.js'
import { apiUrl, emulator, inputs, pick, statusCopy } from './channel-forms.js'
import { choiceField, form, phoneField, secretField, textField, urlField } from './forms.js'
import type { ChannelSetup } from './shapes.js'

const webhookSteps = [
  'Save this form, then enter the ingress address of the channel as callback address with the same verify token.',
  'Subscribe the callback to messages, and to message deliveries, reads and postbacks where they are offered.',
]

const graphSecrets = {
  accessToken: secretField('Access token', 'A permanent token of a system user, not the one that ends after a day.'),
  appSecret: secretField('App secret', 'Of the app that owns the webhook; it signs what is sent to us.'),
  verifyToken: secretField('Verify token', 'Any word of your own; it is asked for once, when the callback is set.', {
    maxLength: 256,
  }),
  apiUrl,
}

/** Two channels that are reached through a page take the same credentials. */
function pageProvider(
  provider: string,
  name: string,
  description: string,
  firstStep: string,
  more: Parameters<typeof form>[0] = {},
): ProviderForm {
  return {
    provider,
    name,
    description,
    steps: [
      firstStep,
      'Give the app messaging permission for the page and make a permanent access token.',
      ...webhookSteps,
    ],
    credentials: form({ pageId: textField('Page id', 'Id of the page, in digits.'), ...more, ...graphSecrets }, [
      'pageId',
      'accessToken',
      'appSecret',
      'verifyToken',
    ]),
  }
}

const waitsForUser =
  'The agent answers people who write to it. It may write freely for 24 hours after their last message.'

export const messengerA: ChannelSetup = {
  id: 'messengerA',
  name: 'Messenger A',
  description: 'The messenger tied to phone numbers: buttons, lists and media, with a reply window of 24 hours.',
  instant: false,
  compliance: false,
  managed: {
    description: 'We register a number and its display name for you in a business account.',
    inputs: inputs(
      {
        ...pick(
          'displayName',
          'description',
          'legalName',
          'legalAddress',
          'websiteUrl',
          'contactEmail',
          'smallLogoUrl',
        ),
        ...pick('responsibleName', 'responsibleEmail', 'countries'),
        numberChoice: choiceField('Number', 'A number in use in the phone app has to be released there first.', [
          'new-number',
          'own-number',
        ]),
        ownNumber: phoneField('Your number', 'Only for a number of your own; it must be able to take a call or text.'),
      },
      ['displayName', 'legalName', 'websiteUrl', 'numberChoice'],
    ),
  },
  unmanaged: [
    {
      provider: 'whatsapp',
      name: 'WhatsApp Cloud API',
      description: 'A number of your own business account, reached through the Cloud API.',
      steps: [
        'Add the number to the business account and copy its phone number id; it is not the number itself.',
        'Make a permanent access token of a system user with messaging permission.',
        ...webhookSteps,
      ],
      credentials: form(
        {
          phoneNumberId: textField('Phone number id', 'Id of the number, in digits.'),
          ...graphSecrets,
        },
        ['phoneNumberId', 'accessToken', 'appSecret', 'verifyToken'],
      ),
    },
    emulator,
  ],
  provisioning: statusCopy({
    Provisioning: {
      headline: 'Number and name in review',
      text: 'The number is being verified and the display name reviewed. This usually takes one to three days.',
    },
    ActionRequired: {
      headline: 'The number must be confirmed',
      text: 'A code is sent to the number, or the display name was turned down. The detail below says which.',
    },
    Active: { headline: 'Connected', text: waitsForUser },
  }),
}

export const messengerB: ChannelSetup = {
  id: 'messengerB',
  name: 'Messenger B',
  description: 'The messenger of a social network page: quick replies and cards, with a reply window of 24 hours.',
  instant: false,
  compliance: false,
  managed: {
    description: 'We connect a page of yours; an administrator of the page approves once.',
    inputs: inputs(
      {
        pageUrl: urlField('Page', 'Address of the public page.'),
        ...pick('legalName', 'websiteUrl', 'responsibleName', 'responsibleEmail'),
      },
      ['pageUrl', 'responsibleEmail'],
    ),
  },
  unmanaged: [
    pageProvider(
      'messenger',
      'Messenger Platform',
      'A page of your own with an app that may message for it.',
      'Connect the page to your app in the developer console and copy the page id.',
    ),
    emulator,
  ],
  provisioning: statusCopy({
    ActionRequired: {
      headline: 'Approve the connection',
      text: 'An administrator of the page has a request to accept. The detail below says where to find it.',
    },
    Active: { headline: 'Connected', text: waitsForUser },
  }),
}

export const socialC: ChannelSetup = {
  id: 'socialC',
  name: 'Social C',
  description: 'Direct messages of a photo and video network: short texts, quick replies and cards within 24 hours.',
  instant: false,
  compliance: false,
  managed: {
    description: 'We connect your professional account through the page it is linked to.',
    inputs: inputs(
      {
        handle: textField('Account', 'Name of the account, without the at sign.', { pattern: '^[A-Za-z0-9._]{1,30}$' }),
        pageUrl: urlField('Linked page', 'Address of the page that the account is linked to.'),
        ...pick('legalName', 'responsibleName', 'responsibleEmail'),
      },
      ['handle', 'responsibleEmail'],
    ),
  },
  unmanaged: [
    pageProvider(
      'instagram',
      'Instagram Messaging',
      'A professional account of your own, reached through the page it is linked to.',
      'Link the professional account to a page, allow access to messages in its settings, and copy the page id.',
      {
        accountId: textField(
          'Account id',
          'Id of the professional account, in digits. Needed where several accounts share one app; without it the channel takes every account of the app that no other channel names.',
        ),
      },
    ),
    emulator,
  ],
  provisioning: statusCopy({
    ActionRequired: {
      headline: 'Allow access to messages',
      text: 'The account has to be professional, linked to a page, and open to connected tools. See the detail below.',
    },
    Active: { headline: 'Connected', text: waitsForUser },
  }),
}
